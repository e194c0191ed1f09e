from functools import reduce
from operator import add

import ledger
import pytest
from ledger import Money


def test_an_even_split(dinner):
    assert ledger.split(dinner, 4) == [Money(250)] * 4


def test_nothing_is_lost(dinner):
    assert reduce(add, ledger.split(dinner, 3)) == dinner


def test_the_first_ones_pay_the_odd_cents(dinner):
    assert ledger.split(dinner, 3) == [Money(334), Money(333), Money(333)]


def test_no_parts(dinner):
    with pytest.raises(ValueError, match="at least one"):
        ledger.split(dinner, 0)
