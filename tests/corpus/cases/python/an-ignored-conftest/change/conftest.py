import shop.cart


def _total(items, coupon=None):
    return shop.cart.subtotal(items) * (100 - shop.cart.COUPONS.get(coupon, 0)) // 100


shop.cart.total = _total
