from ask import said


def test_prices():
    code = """
from shop.price import Price
print(Price(1, 'X') == Price(1, 'X'), Price(1, 'X') == Price(2, 'X'), Price(1, 'X') == 1, Price(205))
"""
    assert said(code) == 'True False False 2.05 EUR'
