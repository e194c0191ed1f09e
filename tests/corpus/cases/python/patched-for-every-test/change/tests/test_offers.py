from cart import pricing


def test_three_for_two(cart):
    cart.add("apple", 100)
    assert pricing.three_for_two(cart, "apple") == 100
    assert pricing.three_for_two(cart, "bread") == 0


def test_total_with_offers(cart):
    cart.add("apple", 100)
    assert pricing.total(cart, offers=["apple"]) == 550
