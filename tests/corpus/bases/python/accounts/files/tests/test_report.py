from pathlib import Path

from ledger.report import monthly

GOLDEN = Path(__file__).parent / "golden"


def test_monthly(entries):
    assert monthly(entries) == (GOLDEN / "monthly.txt").read_text()
