import pytest


def test_quantity(cart):
    cart.add("apple", 90)
    assert cart.quantity("apple") == 3
    assert cart.quantity("milk") == 0


def test_add_at_least_one(cart):
    with pytest.raises(ValueError):
        cart.add("milk", 120, 0)
