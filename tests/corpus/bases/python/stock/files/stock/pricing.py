"""Prices."""


def discount(total, percent):
    """The total less a percentage."""
    if not 0 <= percent <= 100:
        raise ValueError("a percentage is between 0 and 100")
    return round(total * (100 - percent) / 100, 2)


def bulk_price(unit_price, number):
    """Ten or more: 5 % off; a hundred or more: 12 % off."""
    if number >= 100:
        percent = 12
    elif number >= 10:
        percent = 5
    else:
        percent = 0
    return discount(unit_price * number, percent)
