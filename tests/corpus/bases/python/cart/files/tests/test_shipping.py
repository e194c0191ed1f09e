from cart.shipping import shipping


def test_flat_rate():
    assert shipping(4999) == 490


def test_free():
    assert shipping(5000) == 0
    assert shipping(6000) == 0
