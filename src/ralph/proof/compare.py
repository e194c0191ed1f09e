"""What trials on several states of the repository prove about a change. No trial is run here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.tests import TestChange, TestReport
from ralph.proof.attribution import attribute
from ralph.proof.identity import partners, shifted
from ralph.proof.weigh import PRODUCING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ralph.domain.task import Task
    from ralph.domain.tests import TestResult
    from ralph.domain.trial import Trial
    from ralph.proof.attribution import Attribution

SHOWN = 5
EMPTY = TestReport("")


class Held(Struct, frozen=True):
    """What is held against a change when its own checks are run."""

    blamed: tuple[str, ...] = ()
    """Tests that it turned red."""
    old: tuple[str, ...] = ()
    """Tests that were red before it."""
    passed: bool = True


def compare(base: Trial | None, head: Trial) -> Attribution:
    before = (base.report if base is not None else None) or EMPTY
    return attribute(before, head.report or EMPTY)


def held_against(base: Trial | None, head: Trial, flaky: Collection[str]) -> Held:
    """Whether the checks pass, if what was red before and what is flaky does not count."""
    if head.passed:
        return Held()
    changes = compare(base, head)
    blamed = tuple(name for name in changes.blamed if name not in flaky)
    old = changes.having(TestChange.WAS_BROKEN_BEFORE)
    # a check that fails without naming the tests cannot be excused
    return Held(blamed, old, passed=_explained(head) and not blamed)


def _explained(trial: Trial) -> bool:
    """Whether every check that failed names the tests that made it fail."""
    return all(
        result.passed or (report is not None and report.red and not report.problems)
        for result, report in zip(trial.results, trial.reports, strict=True)
    )


def every_test_green(trial: Trial) -> bool:
    """Whether tests were run by every check that failed, and none of them was red.

    Such a check fails for what it says of all of them together: too little is covered, a snapshot
    is not used.
    """
    return all(
        result.passed
        or (report is not None and report.executed and not report.red and not report.problems)
        for result, report in zip(trial.results, trial.reports, strict=True)
    )


def about_tests(
    base: Trial | None,
    head: Trial,
    overlay: Trial | None = None,
    *,
    kept: Callable[[str], bool] = lambda _: False,
) -> Iterator[Fact]:
    """Tests that are gone, skipped, or not reported as they ran.

    `kept` says of a test that is gone whether what it is about is in other tests.
    """
    report = head.report
    if report is None:
        if any(one is not None and one.report is not None for one in (base, overlay)):
            text = "The checks reported single tests before this change; now they report none."
            yield Fact(FactKind.REPORT_FORGED, text)
        return
    before = (base.report if base is not None else None) or EMPTY
    problems = [one for one in report.problems if one not in before.problems]
    for problem in problems[:SHOWN]:
        yield Fact(FactKind.REPORT_FORGED, f"The test report cannot be trusted: {problem}")
    if not report.executed and not report.problems:
        yield Fact(FactKind.NO_TEST_RAN, "The checks pass, but no test was run.")
    changes = compare(base, head)
    removed = changes.having(TestChange.REMOVED)
    if removed:
        moved = tuple(name for name in removed if _hold((name,), overlay) and kept(name))
        gone = tuple(name for name in removed if name not in moved)
        if moved:
            text = f"Now covered by other tests: {listed(moved)}."
            yield Fact(FactKind.TEST_REORGANISED, text, tests=moved)
        if gone:
            yield Fact(FactKind.TEST_REMOVED, f"No longer run: {listed(gone)}.", tests=gone)
    known = {*before.by_id, *partners(before, report).values()}
    skipped = tuple(n for n in changes.having(TestChange.NEWLY_SKIPPED) if n in known)
    moved_on = shifted(before, report, skipped)
    if skipped := tuple(name for name in skipped if name not in moved_on):
        yield Fact(FactKind.TEST_SKIPPED, f"Now skipped: {listed(skipped)}.", tests=skipped)


def about_new_tests(
    base: Trial | None, head: Trial, skips: Callable[[TestResult], bool]
) -> Iterator[Fact]:
    """New tests that are there, and are never run: for work that no other test shows."""
    before = ((base.report if base is not None else None) or EMPTY).by_id
    new = [one for one in (head.report or EMPTY).results if one.id not in before]
    if new and all(one.outcome.is_aside for one in new) and any(map(skips, new)):
        names = tuple(one.id for one in new)
        text = f"The new tests are not run: {listed(names)}."
        yield Fact(FactKind.TEST_SKIPPED, text, tests=names)


def _hold(names: Iterable[str], overlay: Trial | None) -> bool:
    """Whether the new source passes these tests of the base."""
    known = (overlay.report or EMPTY).by_id if overlay is not None else {}
    return all(name in known and known[name].outcome.is_green for name in names)


def about_overlay(
    base: Trial | None,
    head: Trial,
    overlay: Trial,
    flaky: Collection[str],
    *,
    only_tests: bool = False,
) -> Iterator[Fact]:
    """What the base's own tests and configuration say about the new source.

    `only_tests`: nothing but files of tests was put back, so the command is the change's own.
    """
    if overlay.report is None or head.report is None:
        if not overlay.passed and head.passed:
            yield Fact(FactKind.OVERLAY_RED, _overlay_text(overlay))
        return
    changes = compare(base, overlay)
    red = tuple(name for name in changes.blamed if name not in flaky)
    edited = tuple(
        n for n in red if n in head.report.by_id and head.report.by_id[n].outcome.is_green
    )
    if edited:
        text = f"These tests pass only because the change edited them: {listed(edited)}."
        yield Fact(FactKind.OVERLAY_RED, text, tests=edited)
    if gone := tuple(name for name in red if name not in edited):
        text = f"The new code fails tests that the change removed: {listed(gone)}."
        yield Fact(FactKind.OVERLAY_RED, text, tests=gone)
    rewritten = tuple(_rewritten(changes, head))
    if rewritten:
        text = f"Pass only because the test was edited: {listed(rewritten)}."
        yield Fact(FactKind.TEST_REWRITTEN, text, tests=rewritten)
    told = red or rewritten or (base is not None and not base.passed)
    # old tests cover less of the new source: a threshold is the change's own business
    told = told or (only_tests and head.passed and every_test_green(overlay))
    if not told and not held_against(base, overlay, flaky).passed:
        yield Fact(FactKind.OVERLAY_RED, _overlay_text(overlay))


def _rewritten(changes: Attribution, head: Trial) -> Iterator[str]:
    """Red on the base and still red in the overlay, but green on the head."""
    after = (head.report or EMPTY).by_id
    for name in changes.having(TestChange.WAS_BROKEN_BEFORE):
        if name in after and after[name].outcome.is_green:
            yield name


def _overlay_text(overlay: Trial) -> str:
    failure = overlay.failure
    log = f" ({failure.log})" if failure is not None and failure.log else ""
    return f"With the base's own tests and configuration the checks fail{log}."


def shown_by(base: Trial | None, head: Trial, overlay: Trial | None, red: Trial | None) -> set[str]:
    """The tests that are red without the change and green with it."""
    green = {r.id for r in (head.report or EMPTY).results if r.outcome.is_green}
    found: set[str] = set()
    if overlay is not None:  # tests of the base that the change turned green
        found.update(compare(base, overlay).having(TestChange.FIXED))
    if red is not None and red.report is not None:
        broken = {r.file for r in red.report.red if r.is_file}
        before = red.report.by_id
        for name in green:
            seen = before.get(name)
            was_red = seen.outcome.is_red if seen is not None else _file_of(name, head) in broken
            if was_red:
                found.add(name)
    return found & green


def _file_of(name: str, trial: Trial) -> str:
    result = (trial.report or EMPTY).by_id.get(name)
    return result.file if result is not None else ""


def wants_red_test(task: Task, head: Trial) -> bool:
    return task.kind in PRODUCING and head.report is not None


def listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
