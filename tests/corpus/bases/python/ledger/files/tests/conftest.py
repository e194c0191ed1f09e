import pytest
from ledger import Money


@pytest.fixture
def dinner():
    return Money(1000)
