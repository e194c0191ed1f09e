from pathlib import Path

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


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture
def entries():
    return list(read_entries(BOOK.splitlines()))


@pytest.fixture
def golden(request):
    """Compare a text with a file in tests/golden."""

    def compare(name, text):
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.write_text(text)
        assert text == path.read_text()

    return compare
