from shop.cart import total


def test_total_is_a_number():
    assert isinstance(total([]), int)
