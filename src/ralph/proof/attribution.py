"""Which tests a change turned red or green, and which were so before it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.tests import TestChange, TestOutcome
from ralph.proof.identity import partners

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.tests import TestReport, TestResult


_HOOK = re.compile(r'(?:setUp|tearDown)(?:Module|Class)$|"(?:before|after) (?:all|each)" hook')
"""What runs around tests, and is reported in their place."""


class Attribution(Struct, frozen=True):
    """For every test of the base or the head what became of it."""

    changes: dict[str, TestChange]

    def having(self, *changes: TestChange) -> tuple[str, ...]:
        return tuple(name for name, change in self.changes.items() if change in changes)

    @property
    def blamed(self) -> tuple[str, ...]:
        """The tests whose failure counts against the change."""
        return self.having(TestChange.REGRESSED, TestChange.NEW_RED)

    @property
    def shown_red_first(self) -> tuple[str, ...]:
        """The tests that were red on the base and are green on the head."""
        return self.having(TestChange.FIXED)


def attribute(base: TestReport, head: TestReport) -> Attribution:
    """Compare two reports of the same checks. A test goes by the name that it has in the head."""
    broken_before, broken_now = _broken(base), _broken(head)
    loaded = {result.file for result in head.results if not result.is_file}
    moved = partners(base, head)
    changes: dict[str, TestChange] = {}
    for before in base.results:
        after = head.by_id.get(moved.get(before.id, before.id))
        if after is not None:
            changes[after.id] = _changed(before.outcome, after.outcome)
        elif before.is_file and before.file in broken_before and before.file in loaded:
            changes[before.id] = TestChange.FIXED
        elif _HOOK.search(before.id):
            changes[before.id] = TestChange.FIXED  # such a thing is only told of when it fails
        elif before.file in broken_now:
            changes[before.id] = _changed(before.outcome, TestOutcome.ERROR)
        else:
            changes[before.id] = TestChange.REMOVED
    known = {*base.by_id, *moved.values()}
    for after in head.results:
        if after.id not in known:
            changes[after.id] = _arrived(after, broken_before)
    return Attribution(changes)


def flaky(runs: Iterable[TestReport]) -> tuple[str, ...]:
    """The tests that were both green and red in runs of the same tree."""
    green: dict[str, None] = {}
    red: dict[str, None] = {}
    for report in runs:
        for result in report.results:
            if result.outcome.is_green:
                green[result.id] = None
            elif result.outcome.is_red:
                red[result.id] = None
    return tuple(name for name in red if name in green)


_NEW = {
    "green": TestChange.NEW_GREEN,
    "red": TestChange.NEW_RED,
    "aside": TestChange.NEWLY_SKIPPED,
}

_TABLE = {
    ("green", "green"): TestChange.CLEAN,
    ("green", "red"): TestChange.REGRESSED,
    ("green", "aside"): TestChange.NEWLY_SKIPPED,
    ("red", "green"): TestChange.FIXED,
    ("red", "red"): TestChange.WAS_BROKEN_BEFORE,
    ("red", "aside"): TestChange.NEWLY_SKIPPED,
    # A test that begins to count is as good as new.
    ("aside", "green"): TestChange.NEW_GREEN,
    ("aside", "red"): TestChange.NEW_RED,
    ("aside", "aside"): TestChange.CLEAN,
}


def _changed(before: TestOutcome, after: TestOutcome) -> TestChange:
    if before is TestOutcome.XFAILED and after.is_green:
        return TestChange.FIXED
    if before is TestOutcome.XPASSED and not after.is_aside:
        return _TABLE["green", _standing(after)]
    return _TABLE[_standing(before), _standing(after)]


def _arrived(after: TestResult, broken_before: set[str]) -> TestChange:
    if after.file in broken_before and not after.is_file:
        return _changed(TestOutcome.ERROR, after.outcome)
    return _NEW[_standing(after.outcome)]


def _broken(report: TestReport) -> set[str]:
    """The files that could not be loaded: every test in them is as good as red."""
    return {result.file for result in report.red if result.is_file}


def _standing(outcome: TestOutcome) -> str:
    if outcome.is_green:
        return "green"
    return "red" if outcome.is_red else "aside"
