"""Prices."""

from stock.settings import DEFAULT_STEPS


def discount(total, percent):
    """The total less a percentage."""
    if not 0 <= percent <= 100:
        raise ValueError("a percentage is between 0 and 100")
    return round(total * (100 - percent) / 100, 2)


def bulk_price(unit_price, number, steps=DEFAULT_STEPS):
    """The price of many: `steps` says from which number on how many percent are off."""
    reached = [limit for limit in steps if number >= limit]
    percent = steps[max(reached)] if reached else 0
    return discount(unit_price * number, percent)
