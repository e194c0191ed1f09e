import pytest

from orders.states import TRANSITIONS, can


@pytest.mark.parametrize(
    ("current", "wanted"), [("new", "paid"), ("paid", "shipped"), ("paid", "cancelled"), ("shipped", "delivered")]
)
def test_possible(current, wanted):
    assert can(current, wanted)


def test_ends():
    assert [state for state, after in TRANSITIONS.items() if not after] == ["delivered", "cancelled"]
