"""Results that stand in the source although one reckoning gives every one of them.

What the task names is no excuse here: examples of a rule are named as often as entries of a table.
But where the same reckoning leads from what each test gives to what it expects, the work is that
reckoning, and source that holds all of its results has not done it.
"""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from ralph.proof.languages.shape import added

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.proof.answers import Changed, Questions

    Way = Callable[[float, float], float]

FEWEST = 2
DIGITS = 2
"""Of a result that stands somewhere by no accident."""
GIVEN = 2
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?|-?\.\d+")
_CALL = re.compile(r"\w\(")
_WAYS: tuple[Way, ...] = (
    operator.add,
    operator.sub,
    lambda a, b: b - a,
    operator.mul,
    operator.truediv,
    lambda a, b: b / a,
    lambda a, b: a * b / 100,
    lambda a, b: a + a * b,
    lambda a, b: a - a * b,
    lambda a, b: a + a * b / 100,
    lambda a, b: a - a * b / 100,
)
"""From two numbers to a third, as shops and schools do it."""


def results_kept(source: Changed, tests: Questions) -> Iterator[str]:
    """The rows of a new function's tests, where the source has the result of each."""
    new = list(added(source.before, source.after, ("function",)))
    if not new:
        return
    before = source.before.of("number") if source.before is not None else ()
    held = {one.text for one in source.after.of("number")} - {one.text for one in before}
    for one in new:
        rows = list(dict.fromkeys(_rows(one.text.rpartition(".")[2], tests)))
        results = {row[-1] for row in rows}
        enough = len(results) >= FEWEST and all(len(text) >= DIGITS for text in results)
        if enough and results <= held and any(_gives(way, rows) for way in _WAYS):
            yield from (f"{', '.join(row[:-1])} → {row[-1]}" for row in rows)
            return


def _rows(name: str, tests: Questions) -> Iterator[tuple[str, ...]]:
    """Two numbers and a third, in a line that calls the function, or that calls nothing."""
    call = re.compile(rf"(?<![\w.]){re.escape(name)}\(")
    for text, row in tests.lines:
        asks = call.search(text) or not _CALL.search(text)
        if asks and len(row) == GIVEN + 1 and all(map(_NUMBER.fullmatch, row)):
            yield tuple(row)


def _gives(way: Way, rows: list[tuple[str, ...]]) -> bool:
    return all(_is_result(way, *row) for row in rows)


def _is_result(way: Way, one: str, other: str, result: str) -> bool:
    """Whether it comes out, rounded to as many places as the result has."""
    places = len(result.partition(".")[2])
    try:
        found = way(float(one), float(other))
    except ZeroDivisionError:
        return False
    return abs(found - float(result)) <= 0.5 * 10.0**-places + 1e-9 * abs(found)
