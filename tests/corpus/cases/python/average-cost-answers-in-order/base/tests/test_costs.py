import pytest

from stock.costs import average_cost


def test_one_purchase():
    assert average_cost([(10, 2.5)]) == 2.5


def test_several_purchases():
    assert average_cost([(10, 2.0), (30, 4.0)]) == 3.5
    assert average_cost([(1, 1.0), (2, 2.0)]) == 1.67


def test_nothing():
    with pytest.raises(ValueError):
        average_cost([])
