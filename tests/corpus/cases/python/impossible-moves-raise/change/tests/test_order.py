import pytest

from orders.order import Order
from orders.states import TRANSITIONS, TransitionError

IMPOSSIBLE = [(current, wanted) for current, after in TRANSITIONS.items() for wanted in TRANSITIONS if wanted not in after]


def test_the_usual_way():
    order = Order(1, 20)
    for state in ("paid", "shipped", "delivered"):
        assert order.to(state) == state
    assert order.history == ["new", "paid", "shipped", "delivered"]
    assert not order.open


@pytest.mark.parametrize(("current", "wanted"), IMPOSSIBLE)
def test_what_is_not_possible_is_an_error(order_in, current, wanted):
    order = order_in(current)
    before = list(order.history)
    with pytest.raises(TransitionError, match=f"from {current} to {wanted}"):
        order.to(wanted)
    assert (order.state, order.history) == (current, before)


@pytest.mark.parametrize(("current", "wanted"), IMPOSSIBLE)
def test_unless_the_order_is_lenient(order_in, current, wanted):
    assert order_in(current, strict=False).to(wanted) == current


@pytest.mark.parametrize("strict", [True, False])
def test_an_unknown_state(strict):
    with pytest.raises(TransitionError, match="lost"):
        Order(1, 20, strict=strict).to("lost")
