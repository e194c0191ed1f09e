import pytest

from stock.pricing import bulk_price, discount


def test_discount():
    assert discount(80, 25) == 60
    assert discount(9.99, 0) == 9.99


@pytest.mark.parametrize("percent", [-1, 101])
def test_no_percentage(percent):
    with pytest.raises(ValueError):
        discount(1, percent)


def test_bulk():
    assert bulk_price(2, 9) == 18
    assert bulk_price(2, 10) == 19
    assert bulk_price(2, 100) == 176
