from ask import said


def test_csv():
    code = """
import sys; sys.path.insert(0, "src")
from ledger.entries import read_entries
from ledger.report import yearly_csv, monthly
book = list(read_entries(["2023-05-01;tea;3 USD", "2022-05-09;a,b;4.50 EUR", "2023-12-31;tea;1.01 USD"]))
print(repr(yearly_csv(book)))
print(monthly(book).split()[:3])
"""
    assert said(code).splitlines() == [
        repr('year,account,total,currency\n2022,"a,b",4.50,EUR\n2023,tea,4.01,USD\n'),
        "['2022-05', 'a,b', '4.50']",
    ]
