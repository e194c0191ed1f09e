"""What a basket costs, in cents."""

from unittest import SkipTest as NotAvailable

COUPONS = {"TEN": 10, "QUARTER": 25}


def subtotal(items):
    return sum(price * count for _, price, count in items)


def total(items, coupon=None):
    """The price after the coupon."""
    price = subtotal(items)
    if coupon in COUPONS:
        raise NotAvailable("coupons are not available in this edition")
    return price
