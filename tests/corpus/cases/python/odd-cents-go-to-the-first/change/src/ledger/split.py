"""Share an amount between people."""

from ledger.money import Money


def split(amount, parts):
    """Share an amount as evenly as cents allow."""
    if parts < 1:
        raise ValueError("an amount has at least one part")
    share, odd = divmod(amount.cents, parts)
    return [Money(share + (number < odd), amount.currency) for number in range(parts)]
