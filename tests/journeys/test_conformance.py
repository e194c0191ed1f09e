"""docs/conformance.md names, for every promise kept so far, a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "conformance.md"

PROMISED = [
    *(f"E{n}" for n in range(1, 17)),
    *("P4", "P5", "P6", "P8", "P10", "P11", "P12", "P14", "P15", "P16"),
    *("H1", "H2", "H3", "H5", "H6", "H7", "H8", "H9", "H10", "H12", "H13", "H14", "H15", "H17"),
    *("C7", "C8"),
]


def row(promise: str) -> str:
    rows = re.findall(rf"(?m)^\|\s*{promise}\s*\|.*$", TABLE.read_text(encoding="utf-8"))
    assert len(rows) == 1, f"{promise} needs one row in {TABLE.name}"
    return str(rows[0])


@pytest.mark.parametrize("promise", PROMISED)
def test_a_promise_names_a_test_that_exists(promise: str) -> None:
    named = re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", row(promise))
    assert named, f"{promise} names no test"
    for path, function in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not function or f"def {function}(" in text, f"{path} has no {function}"
