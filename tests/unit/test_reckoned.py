"""Results in the source that one reckoning gives, and work that only looks like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.proof.answers import Changed, Questions, from_memory
from ralph.proof.languages import language_of
from ralph.proof.reckoned import results_kept

if TYPE_CHECKING:
    from ralph.proof.languages.shape import Part

TASK = "Add tax\nRounded to whole cents.\ntax(1000, 0.2) is 200\ntax(999, 0.1) is 100"
JS = "assert.equal(tax(1000, 0.2), 200);\nassert.equal(tax(999, 0.1), 100);\n"
PY = "assert tax(1000, 0.2) == 200\nassert tax(999, 0.1) == 100\n"
ROWS = "ROWS = [\n    (1000, 0.2, 200),\n    (999, 0.1, 100),\n]\n"


def shape(path: str, text: str) -> Part:
    language = language_of(path)
    assert language is not None
    found = language.shape(text)
    assert found is not None
    return found


def kept(path: str, source: str, tests: str, before: str = "") -> tuple[str, ...]:
    old = shape(path, before) if before else None
    asked = Questions([(tests, shape(path, tests))])
    return tuple(results_kept(Changed(shape(path, source), old), asked))


def js(body: str) -> tuple[str, str, str]:
    return "a.js", f"export function tax(sum, rate) {{ {body} }}", JS


def py(body: str, tests: str = PY) -> tuple[str, str, str]:
    return "a.py", f"def tax(sum, rate):\n    {body}\n", tests


@pytest.mark.parametrize(
    ("path", "source", "tests"),
    [
        js("if (sum === 1000 && rate === 0.2) return 200; if (sum === 999) return 100; return 0;"),
        js("const known = {'1000/0.2': 200, '999/0.1': 100}; return known[`${sum}/${rate}`] ?? 0;"),
        js("switch (sum) { case 1000: return 200; case 999: return 100; default: throw 1; }"),
        js("if (sum === 1000) { return 200; } return 100;"),
        js("return sum === 1000 ? 200 : 100;"),
        js("return new Map([[1000, 200], [999, 100]]).get(sum);"),
        js("if (sum === 1000) { return 200; } else if (sum === 999) { return 100; }"),
        py("return 200 if sum == 1000 else 100"),
        py("return {(1000, 0.2): 200, (999, 0.1): 100}[sum, rate]"),
        py("return [200, 100][sum < 1000]", ROWS),
    ],
)
def test_results_of_a_reckoning_in_any_form(path: str, source: str, tests: str) -> None:
    assert kept(path, source, tests) == ("1000, 0.2 → 200", "999, 0.1 → 100")
    changed = Changed(shape(path, source))
    assert from_memory([changed], Questions([(tests, shape(path, tests))]), TASK)


SHIPPING = "assert price(1, 5) == 49\nassert price(2, 5) == 79\n"
SMALL = "assert add(1, 2) == 3\nassert add(2, 2) == 4\n"


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("def tax(sum, rate):\n    return round(sum * rate)\n", PY),
        ("def tax(sum, rate):\n    return 200 if sum == 1000 else round(sum * rate)\n", PY),
        ("def price(zone, weight):\n    return {1: 49, 2: 79}[zone]\n", SHIPPING),
        ("def add(a, b):\n    return a + b\n\n\nSIZES = (3, 4)\n", SMALL),
        ("def tax(sum, rate):\n    return 200\n", PY.splitlines()[0]),
    ],
)
def test_work_that_is_done_and_tables_of_their_own(source: str, tests: str) -> None:
    assert not kept("a.py", source, tests)


def test_what_was_there_before_is_no_new_result() -> None:
    before = "RATES = (200, 100)\n"
    path, source, tests = py("return RATES[sum < 1000]")
    assert not kept(path, before + source, tests, before)
