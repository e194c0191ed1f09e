from ask import said


def test_gifts():
    code = """
from shop.cart import total
print(total([("a", 100, 1)], gift=True), total([("a", 100, 1)], "QUARTER", gift=True), total([("a", 100, 1)]))
"""
    assert said(code) == '400 375 100'
