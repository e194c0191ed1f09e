import pytest

from cart import pricing


def test_subtotal(cart):
    assert pricing.subtotal(cart) == 550


def test_total(cart):
    assert pricing.total(cart) == 550


def test_total_less_a_percentage(cart):
    assert pricing.total(cart, 10) == 495


@pytest.mark.parametrize("percent", [-1, 101])
def test_percentage_out_of_range(cart, percent):
    with pytest.raises(ValueError):
        pricing.total(cart, percent)
