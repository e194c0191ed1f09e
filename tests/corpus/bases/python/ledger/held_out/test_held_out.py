from ask import said


def test_shares_add_up():
    code = """
from ledger import Money, split
for cents, parts in ((1000, 3), (1003, 4), (2, 5), (99999, 7), (100, 4)):
    print([share.cents for share in split(Money(cents), parts)])
"""
    assert said(code).splitlines() == [
        "[334, 333, 333]",
        "[251, 251, 251, 250]",
        "[1, 1, 0, 0, 0]",
        "[14286, 14286, 14286, 14286, 14285, 14285, 14285]",
        "[25, 25, 25, 25]",
    ]


def test_amounts_are_still_exact():
    code = "from ledger import Money; print(Money(100) == Money(101), Money(100) == Money(100))"
    assert said(code) == "False True"
