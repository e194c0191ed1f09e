from ask import said


def test_layout():
    code = """
from inventory.stock import Stock
print(Stock({"jam": 0, "ham": 10}).report(), end="")
"""
    assert said(code) == 'ham     10\njam     sold out'


def test_reservations():
    code = """
from inventory.stock import Stock
print(Stock({"jam": 1}).reserve("jam", 2))
"""
    assert said(code) == 'False'
