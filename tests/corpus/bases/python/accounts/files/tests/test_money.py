from decimal import Decimal

import pytest

from ledger.money import Money, parse_money, rounded, tax


def test_money_has_two_places():
    assert str(Money("3")) == "3.00 EUR"


def test_halves_are_rounded_up():
    assert rounded("0.125") == Decimal("0.13")
    assert rounded("0.135") == Decimal("0.14")


def test_tax():
    assert tax("10.50", 19) == Decimal("2.00")
    assert tax("2.50", 5) == Decimal("0.13")


def test_adding():
    assert str(Money("1.10") + Money("2.20")) == "3.30 EUR"


def test_currencies_do_not_mix():
    with pytest.raises(ValueError):
        Money(1, "EUR") + Money(1, "USD")


def test_parsing_knows_thousands():
    assert str(parse_money("1,200.5 USD")) == "1200.50 USD"
