from orders.order import Order


def test_the_usual_way():
    order = Order(1, 20)
    for state in ("paid", "shipped", "delivered"):
        assert order.to(state) == state
    assert order.history == ["new", "paid", "shipped", "delivered"]
    assert not order.open


def test_what_is_not_possible_is_ignored():
    order = Order(1, 20)
    assert order.to("delivered") == "new"
    assert order.history == ["new"]
    assert order.open
