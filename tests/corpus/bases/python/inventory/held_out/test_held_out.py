from ask import said


def test_reservations():
    code = """
from inventory.stock import Stock
stock = Stock({"jam": 4})
print([stock.reserve("jam", 9), stock.reserve("jam", 3), stock.reserve("nil", 1)], stock.counts["jam"])
"""
    assert said(code) == "[False, True, False] 1"


def test_report():
    code = """
from inventory.stock import Stock
print(repr(Stock({"jam": 0, "ham": 10}).report()))
"""
    assert said(code) == repr("ham: 10\njam: sold out\n")


def test_what_worked_before():
    code = """
from inventory.stock import Stock
stock = Stock()
stock.add("jam", 2)
stock.add("jam", 2)
print(stock.counts)
"""
    assert said(code) == "{'jam': 4}"
