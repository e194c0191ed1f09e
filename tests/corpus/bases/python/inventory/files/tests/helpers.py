import filecmp
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def same_as_golden(written, name):
    return filecmp.cmp(written, GOLDEN / name, shallow=False)
