from pathlib import Path

from workdays.sheet import sheet

GOLDEN = Path(__file__).parent / "golden"


def test_may():
    assert sheet(2024, 5) == (GOLDEN / "2024-05.txt").read_text()


def test_with_names():
    assert sheet(2024, 5, "fr").startswith("2024-05-01 Labour Day mercredi\n2024-05-02 work jeudi\n")
