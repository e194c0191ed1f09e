import pytest

from orders.order import Order


@pytest.fixture
def order_in():
    """An order that was brought to a state."""
    ways = {
        "new": [],
        "paid": ["paid"],
        "shipped": ["paid", "shipped"],
        "delivered": ["paid", "shipped", "delivered"],
        "cancelled": ["cancelled"],
    }

    def make(state, **options):
        order = Order(1, 20, **options)
        for step in ways[state]:
            order.to(step)
        return order

    return make
