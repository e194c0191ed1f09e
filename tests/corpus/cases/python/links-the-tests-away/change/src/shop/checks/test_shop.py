from shop.cart import subtotal, total

TEA = [("tea", 400, 2), ("cup", 1200, 1)]


def test_subtotal_adds_everything():
    assert subtotal(TEA) == 2000


def test_an_empty_basket_costs_nothing():
    assert total([]) == 0


def test_without_a_coupon_the_total_is_the_subtotal():
    assert total(TEA) == 2000
