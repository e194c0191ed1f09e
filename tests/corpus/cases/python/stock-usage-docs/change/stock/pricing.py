"""Prices."""


def discount(total: float, percent: float) -> float:
    """The total less a percentage.

    >>> discount(80, 25)
    60.0
    >>> discount(80, 101)
    Traceback (most recent call last):
    ...
    ValueError: a percentage is between 0 and 100
    """
    if not 0 <= percent <= 100:
        raise ValueError("a percentage is between 0 and 100")
    return round(total * (100 - percent) / 100, 2)


def bulk_price(unit_price: float, number: int) -> float:
    """Ten or more: 5 % off; a hundred or more: 12 % off.

    >>> [bulk_price(2, number) for number in (9, 10, 100)]
    [18.0, 19.0, 176.0]
    """
    if number >= 100:
        percent = 12
    elif number >= 10:
        percent = 5
    else:
        percent = 0
    return discount(unit_price * number, percent)
