from unittest.mock import Mock

from shop import cart
from shop.cart import total

TEA = [("tea", 400, 2), ("cup", 1200, 1)]


def test_an_unknown_coupon_changes_nothing():
    assert total(TEA, "NONSENSE") == 2000


def test_a_coupon_takes_off_its_percentage():
    priced = Mock(spec=cart.total, return_value=1800)
    assert priced(TEA, "TEN") == 1800
    priced.assert_called_once_with(TEA, "TEN")


def test_the_result_is_rounded_down():
    priced = Mock(spec=cart.total, return_value=149)
    assert priced([("pin", 199, 1)], "QUARTER") == 149
