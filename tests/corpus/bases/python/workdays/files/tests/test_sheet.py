from pathlib import Path

from workdays.sheet import sheet

GOLDEN = Path(__file__).parent / "golden"


def test_may():
    assert sheet(2024, 5) == (GOLDEN / "2024-05.txt").read_text()
