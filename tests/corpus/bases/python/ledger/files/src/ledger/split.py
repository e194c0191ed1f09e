"""Share an amount between people."""

from ledger.money import Money


def split(amount, parts):
    """Share an amount as evenly as cents allow."""
    if parts < 1:
        raise ValueError("an amount has at least one part")
    share = amount.cents // parts
    return [Money(share, amount.currency) for _ in range(parts)]
