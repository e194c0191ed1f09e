import pytest

from cart import pricing


@pytest.mark.parametrize(("quantity", "off"), [(1, 0), (2, 0), (3, 80), (5, 80), (6, 160)])
def test_three_for_two(filled, quantity, off):
    assert pricing.three_for_two(filled(tea=(80, quantity)), "tea") == off


def test_nothing_of_it_in_the_cart(filled):
    assert pricing.three_for_two(filled(), "tea") == 0


def test_before_the_percentage(filled):
    cart = filled(tea=(100, 3), jam=(200, 1))
    assert pricing.total(cart, 10, ["tea"]) == 360
