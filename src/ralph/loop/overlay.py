"""The base's own tests over the new source: all of them, or those that can see the change.

Unchanged tests see the same source in the overlay as in the change itself. What differs there is
that no changed test was loaded beside them, which matters only to a test that the change reaches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks import reached
from ralph.checks.narrow import is_plain, narrowed
from ralph.loop.trials import Wanted
from ralph.policy.paths import is_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.loop.house import House
    from ralph.loop.proof import Case

MANY = 8
"""Files of tests from which on some may be left out."""


def overlay(house: House, case: Case) -> Iterator[Wanted]:
    settings = house.settings.verification
    if not case.protected or not settings.overlay:
        return
    commit = house.workspace.variant(case.proof.candidate.commit, case.attempt.base, case.protected)
    if settings.affected and any(narrowed(one, case.protected) for one in case.commands):
        case.few = tuple(_seeing(house, case))
    commands = tuple(narrowed(one, case.few) or one for one in case.commands)
    yield Wanted(commit, commands, f"{case.name}-overlay", changed=case.proof.files)


async def made_whole(house: House, case: Case, trial: Trial | None) -> Trial | None:
    """With the results of the tests that were left out; all are run if anything is not plain."""
    if trial is None or not case.few:
        return trial
    if _is_clean(trial) and (whole := _with_the_rest(case, trial)) is not None:
        what = f"{len(case.few)} of its files" if len(case.few) > 1 else case.few[0]
        text = f"Of the base's tests {what} alone ran in the overlay: no other can see the change."
        case.notes = (*case.notes, text)
        return whole
    name = f"{case.name}-overlay-all"
    return await house.trials.of(
        Wanted(trial.commit, case.commands, name, changed=case.proof.files)
    )


def _seeing(house: House, case: Case) -> Collection[str]:
    """The base's tests that may see the change; none if they cannot be told, or are too many."""
    changes, commit = case.proof.candidate.files, case.proof.candidate.commit
    source = _source(case)
    if source is None or (case.base is not None and not case.base.passed):
        return ()
    files = house.workspace.listing(commit)
    tests = frozenset(filter(is_plain, files))
    old = tests - {c.path for c in changes if c.status == "A"}
    put_back = {c.old or c.path for c in changes if c.status != "A"} & set(case.protected)
    if case.base is not None and case.base.report is not None:
        run = {one.file for one in case.base.report.results}
        old, put_back = old & run, put_back & run
    if len(old) < MANY:
        return ()
    reach = reached.Reach(files, house.workspace.search(commit, reached.LINES, reached.ENDINGS))
    few = sorted(old & reach.of(source) | put_back)
    known = all(reach.is_seen(path, tests) for path in source)
    return (few or sorted(old)[:1]) if known and 2 * len(few) <= len(old) else ()


def _source(case: Case) -> list[str] | None:
    """What was changed besides tests; None if nobody can say who sees it."""
    names = set(case.proof.files).difference(case.guarded)
    changes = [c for c in case.proof.candidate.files if c.path in names and not is_words(c.path)]
    known = all(c.status in "AM" and c.path.endswith(reached.ENDINGS) for c in changes)
    return [c.path for c in changes] if known and all(map(is_plain, case.guarded)) else None


def _is_clean(trial: Trial) -> bool:
    told = [report for report in trial.reports if report is not None]
    return trial.passed and bool(told) and not any(one.red or one.problems for one in told)


def _with_the_rest(case: Case, trial: Trial) -> Trial | None:
    """None if something was left out of which it is not known whether it sees the change."""
    reports: list[TestReport | None] = []
    for ours, theirs in zip(trial.reports, case.head.reports, strict=False):
        if ours is None or theirs is None:
            reports.append(ours)
            continue
        seen = {*case.guarded, *(one.file for one in ours.results)}
        rest = [one for one in theirs.results if one.file not in seen]
        if not all(is_plain(one.file) and one.file not in case.few for one in rest):
            return None
        reports.append(replace(ours, results=(*ours.results, *rest)))
    return replace(trial, reports=tuple(reports)) if len(reports) == len(trial.reports) else None
