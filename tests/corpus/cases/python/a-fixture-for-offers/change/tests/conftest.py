import pytest

from cart import Cart


@pytest.fixture
def cart():
    cart = Cart()
    cart.add("apple", 100, 2)
    cart.add("bread", 350)
    return cart


@pytest.fixture
def filled():
    """A factory: skus with price and quantity."""

    def fill(**skus):
        cart = Cart()
        for sku, (cents, quantity) in skus.items():
            cart.add(sku, cents, quantity)
        return cart

    return fill
