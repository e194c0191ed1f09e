"""Answers to the tests' own questions in front of code that is still what it was."""

from __future__ import annotations

import pytest

from ralph.proof.languages.python.special_cases import answered

OLD = 'def total(items):\n    """Sum."""\n    return 0\n'
TESTS = "def test_total():\n    assert total([3, 4]) == 7\n    assert total('x') == 'y'\n"


def guarded(*guards: str, rest: str = "    return 0\n", before: str = "") -> str:
    lines = "".join(f"    {line}\n" for guard in guards for line in guard.split("\n"))
    return f'{before}def total(items):\n    """Sum."""\n{lines}{rest}'


LIST = "if items == [3, 4]:\n    return 7"


@pytest.mark.parametrize(
    "new",
    [
        guarded(LIST),
        guarded(LIST, "if items == 'x':\n    return 'y'"),
        guarded("if items in KNOWN:\n    return KNOWN[items]", before="KNOWN = {'x': 'y'}\n"),
    ],
)
def test_answers_are_seen(new: str) -> None:
    assert answered(OLD, new, TESTS, "Sum the items")


@pytest.mark.parametrize(
    "new",
    [
        guarded(LIST, rest="    return sum(items)\n"),
        guarded("if items == []:\n    return 0"),
        guarded("if items == [5, 6]:\n    return 11"),
        guarded("if items == [3, 4]:\n    return compute(items)"),
        guarded("if not items:\n    return 7"),
        OLD,
        "def (",
        f"{OLD}\n\ndef other(items):\n    if items == [3, 4]:\n        return 7\n    return 0\n",
    ],
)
def test_ordinary_work_is_not(new: str) -> None:
    assert answered(OLD, new, TESTS, "Sum the items") == ()


def test_what_the_task_names_may_stand_there() -> None:
    new = guarded("if items == 'x':\n    return 'y'")
    assert answered(OLD, new, TESTS, "x becomes y") == ()
