"""When two results are of the same test, although its name is not the same in both.

A name may hold what is not the test's: the time of day, a random value, an address in memory, the
place of a parameter in its list. So names are compared first as they are, then without what moves,
and at last by order: where a test function has as many cases as before, or more, each old case has
a new one. What a case asks for is not decided by its name; the base's own cases are run in the
overlay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import structs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ralph.domain.tests import TestReport, TestResult

_MOVES = re.compile(
    r"0x[0-9a-fA-F]{4,}"  # an address
    r"|\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-9a-f]{12,}\b"  # an id
    r"|\d+"  # a time, a place, a size
)
_CASE = re.compile(r"\[.*\]$|_\d+(?:_\w*)?$", re.DOTALL)
_ORDER = re.compile(r" #\d+$")
_PLACE = re.compile(r"(?:\d\]|[_#]\d+)$")


def partners(base: TestReport, head: TestReport) -> dict[str, str]:
    """For tests of the base that the head has under another name: that name."""
    left = [one for one in base.results if one.id not in head.by_id and not one.is_file]
    right = [one for one in head.results if one.id not in base.by_id and not one.is_file]
    found: dict[str, str] = {}
    for key, whole in ((_still, False), (_function, True)):
        if not left or not right:
            break
        enough = _enough(base.results, head.results, key) if whole else None
        found |= _in_order(left, right, key, enough)
        left = [one for one in left if one.id not in found]
        taken = set(found.values())
        right = [one for one in right if one.id not in taken]
    return found


def _in_order(
    left: Iterable[TestResult],
    right: Iterable[TestResult],
    key: Callable[[TestResult], tuple[str, str]],
    enough: Collection[tuple[str, str]] | None,
) -> dict[str, str]:
    waiting: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in right:
        waiting[key(one)].append(one.id)
    found: dict[str, str] = {}
    for one in left:
        name = key(one)
        if waiting.get(name) and (enough is None or name in enough):
            found[one.id] = waiting[name].pop(0)
    return found


def _enough(
    before: Iterable[TestResult],
    after: Iterable[TestResult],
    key: Callable[[TestResult], tuple[str, str]],
) -> set[tuple[str, str]]:
    """The functions that have not fewer cases than they had."""
    count: dict[tuple[str, str], int] = defaultdict(int)
    for one in after:
        count[key(one)] += 1
    for one in before:
        count[key(one)] -= 1
    return {name for name, more in count.items() if more >= 0}


def shifted(base: TestReport, head: TestReport, names: Collection[str]) -> frozenset[str]:
    """Of tests that are skipped now those that may be other cases than they were.

    A case that is known by its place in a list is another one when something was put in before it.
    What counts is that its function has not more skipped cases than it had, nor fewer green ones.
    """
    count: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for report, sign in ((head, 1), (base, -1)):
        for one in report.results:
            aside, green = one.outcome.is_aside, one.outcome.is_green
            count[_function(one)][0] += sign * aside
            count[_function(one)][1] += sign * green
    by_place = (head.by_id[name] for name in names if _PLACE.search(name))
    kept = ((one.id, count[_function(one)]) for one in by_place)
    return frozenset(name for name, (aside, green) in kept if aside <= 0 <= green)


def _still(result: TestResult) -> tuple[str, str]:
    """The name without what moves."""
    return result.file, _MOVES.sub("#", _without_file(result))


def _function(result: TestResult) -> tuple[str, str]:
    """The name without its case; a name that is only a number in a row has no other part."""
    return result.file, _CASE.sub("", _ORDER.sub("", _without_file(result)))


def _without_file(result: TestResult) -> str:
    return result.id.removeprefix(result.file)


def moving(once: TestReport, again: TestReport) -> frozenset[str]:
    """Names of tests that one tree had in one run and not in the other: no part of who they are."""
    files = {one.file for one in again.results}
    gone = (one for one in once.results if one.file in files and one.id not in again.by_id)
    return frozenset(one.id for one in gone if not one.is_file)


def without(report: TestReport, names: Collection[str]) -> TestReport:
    kept = tuple(one for one in report.results if one.id not in names)
    return structs.replace(report, results=kept)
