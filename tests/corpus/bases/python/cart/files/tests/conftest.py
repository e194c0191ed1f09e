import pytest

from cart import Cart


@pytest.fixture
def cart():
    cart = Cart()
    cart.add("apple", 100, 2)
    cart.add("bread", 350)
    return cart
