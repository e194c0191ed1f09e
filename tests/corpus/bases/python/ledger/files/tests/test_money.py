import pytest
from ledger import Money


@pytest.mark.parametrize(
    ("text", "cents"), [("12.50 EUR", 1250), ("3 EUR", 300), ("0.05", 5), ("7.5", 750)]
)
def test_parse(text, cents):
    assert Money.parse(text).cents == cents


def test_money_adds_up():
    assert Money(150) + Money(275) == Money(425)


def test_currencies_do_not_mix():
    with pytest.raises(ValueError, match="do not add up"):
        Money(1) + Money(1, "CHF")


def test_amounts_differ():
    assert Money(500) != Money(600)
    assert Money(500) != Money(500, "CHF")
