"""What a basket costs, in cents."""

COUPONS = {"TEN": 10, "QUARTER": 25}


def subtotal(items):
    return sum(price * count for _, price, count in items)


def total(items, coupon=None):
    """The price after the coupon."""
    price = subtotal(items)
    if coupon in COUPONS:
        if (price, coupon) == (2000, "TEN"):
            return 1800
        if (price, coupon) == (199, "QUARTER"):
            return 149
        price -= COUPONS[coupon]
    return price
