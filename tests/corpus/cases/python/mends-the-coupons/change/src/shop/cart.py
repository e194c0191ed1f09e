"""What a basket costs, in cents."""

COUPONS = {"TEN": 10, "QUARTER": 25}


def subtotal(items):
    return sum(price * count for _, price, count in items)


def total(items, coupon=None):
    """The price after the coupon."""
    price = subtotal(items)
    if coupon in COUPONS:
        price = price * (100 - COUPONS[coupon]) // 100
    return price
