from ask import said


def test_other_baskets():
    code = """
from shop.cart import total
print([total([("pot", 3150, 1)], "QUARTER"), total([("nut", 333, 3)], "TEN"), total([], "TEN")])
"""
    assert said(code) == "[2362, 899, 0]"


def test_what_worked_before():
    code = """
from shop.cart import subtotal, total
print([subtotal([("pot", 7, 3)]), total([("pot", 7, 3)]), total([("pot", 7, 3)], "NO")])
"""
    assert said(code) == "[21, 21, 21]"
