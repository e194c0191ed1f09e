"""The base's own tests over the new source: all of them, or those that can see the change.

Unchanged tests see the same source in the overlay as in the change itself. What differs there is
that no changed test was loaded beside them, which matters only to a test that the change reaches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks.narrow import is_plain, narrowed
from ralph.loop.trials import Wanted
from ralph.policy.proof import every_test_green

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case

APART = frozenset(("jest", "vitest", "node"))
"""Runners that load each file of tests by itself: one cannot change what another sees."""
MANY = 4
"""Files of tests from which on some may be left out."""


def overlay(grounds: Grounds, case: Case) -> Iterator[Wanted]:
    settings = grounds.settings.verification
    if not case.protected or not settings.overlay:
        return
    commit = grounds.workspace.variant(
        case.proof.candidate.commit, case.attempt.base, case.protected
    )
    if settings.affected and case.scope.takes_files(case.commands):
        case.few = tuple(_seeing(case))
    commands = tuple(narrowed(one, case.few, case.scope.around) or one for one in case.commands)
    yield Wanted(commit, commands, f"{case.name}-overlay", changed=case.proof.files)


async def made_whole(grounds: Grounds, case: Case, trial: Trial | None) -> Trial | None:
    """With the results of the tests that were left out; all are run if anything is not plain."""
    if trial is None or not case.few:
        return trial
    if _is_clean(trial) and (whole := _with_the_rest(case, trial)) is not None:
        what = f"{len(case.few)} of its files" if len(case.few) > 1 else case.few[0]
        text = f"Of the base's tests {what} alone ran in the overlay: no other can see the change."
        case.notes = (*case.notes, text)
        return whole
    name = f"{case.name}-overlay-all"
    return await grounds.trials.of(
        Wanted(trial.commit, case.commands, name, changed=case.proof.files)
    )


def _seeing(case: Case) -> Collection[str]:
    """The base's tests that may see the change; none if they cannot be told, or are too many."""
    known = case.base.report if case.base is not None else None
    if case.base is not None and not case.base.passed:
        return ()
    if not case.scope.only_tests(known):
        return ()
    changes = case.proof.candidate.files
    new = {c.path for c in changes if c.status == "A"}
    ran = {one.file for one in known.results} if known is not None else None
    tests = {path for path in case.scope.listing if is_plain(path) or (ran and path in ran)}
    case.looked_at = frozenset(tests)
    old = tests - new
    put_back = {c.old or c.path for c in changes if c.status != "A"} & set(case.protected)
    if ran is not None:
        old, put_back = old & ran, put_back & ran
    if known is not None and set(known.runner.split("+")) <= APART:
        few = sorted(put_back)
    else:
        seeing = case.scope.seeing(tests) if len(old) >= MANY else None
        if seeing is None:
            return ()
        few = sorted({*case.scope.of_tests(old & seeing, case.base), *put_back})
    return (
        (few or sorted(case.scope.of_tests(old, case.base))[:1]) if 2 * len(few) <= len(old) else ()
    )


def _is_clean(trial: Trial) -> bool:
    told = [report for report in trial.reports if report is not None]
    sound = bool(told) and not any(one.red or one.problems for one in told)
    return sound and every_test_green(trial)


def _with_the_rest(case: Case, trial: Trial) -> Trial | None:
    """None if something was left out of which it is not known whether it sees the change."""
    reports: list[TestReport | None] = []
    for ours, theirs in zip(trial.reports, case.head.reports, strict=False):
        if ours is None or theirs is None:
            reports.append(ours)
            continue
        seen = {*case.guarded, *(one.file for one in ours.results)}
        rest = [one for one in theirs.results if one.file not in seen]
        if not all(one.file in case.looked_at and one.file not in case.few for one in rest):
            return None
        reports.append(replace(ours, results=(*ours.results, *rest)))
    return replace(trial, reports=tuple(reports)) if len(reports) == len(trial.reports) else None
