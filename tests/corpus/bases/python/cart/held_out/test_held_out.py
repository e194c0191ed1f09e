from ask import said


def test_offer():
    code = """
from cart import Cart, pricing
cart = Cart()
cart.add("egg", 30, 7)
cart.add("jam", 410, 2)
print(pricing.three_for_two(cart, "egg"), pricing.three_for_two(cart, "jam"), pricing.three_for_two(cart, "tea"))
print(pricing.total(cart, offers=["egg"]), pricing.total(cart, 50, ["egg", "jam"]))
"""
    assert said(code) == "60 0 0\n970 485"


def test_without_offers():
    code = """
from cart import Cart, pricing
cart = Cart()
cart.add("egg", 30, 7)
print(pricing.total(cart), pricing.total(cart, 10), pricing.total(cart, percent=100))
try:
    pricing.total(cart, 101)
except ValueError:
    print("refused")
"""
    assert said(code) == "210 189 0\nrefused"
