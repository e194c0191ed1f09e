import pytest
from inventory.stock import Stock


@pytest.fixture
def shelf():
    return Stock({"tea": 3, "cups": "sold out", "pots": 12})
