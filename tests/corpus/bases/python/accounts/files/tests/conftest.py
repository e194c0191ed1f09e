import pytest

from ledger.entries import read_entries

BOOK = """\
# first quarter
2024-01-03;rent;-700.00 EUR
2024-01-09;food;-31.20 EUR
2024-01-23;food;-12.05 EUR

2024-02-03;rent;-700.00 EUR
2025-02-03;rent;-720.00 EUR
"""


@pytest.fixture
def entries():
    return list(read_entries(BOOK.splitlines()))
