from shop.cart import total


def test_wrapping_costs_extra(basket):
    assert total(basket, gift=True) == 2300


def test_no_coupon_for_the_wrapping(basket):
    assert total(basket, "TEN", gift=True) == 2100
