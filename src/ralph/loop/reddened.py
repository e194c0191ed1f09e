"""Tests that turned red: run once more, alone, before anything is said of them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.trial import Trial
from ralph.loop.trials import Wanted
from ralph.policy import proof as proving
from ralph.policy.attribution import flaky

if TYPE_CHECKING:
    from ralph.domain.tests import TestReport
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case

SUSPECTS = 3
"""Tests that may be flaky at once."""
FIRST = "-first"
"""What is added to the name of the trial that may end all others."""


def shows_red(case: Case, report: TestReport) -> bool:
    """Whether a test is red that was not, and can be run once more without the others."""
    blamed = _blamed(case, Trial("", (), (report,)))[:SUSPECTS]
    return bool(blamed) and case.scope.naming(case.commands, blamed, report) != case.commands


def _blamed(case: Case, trial: Trial) -> list[str]:
    """What is red and was not before; a file that cannot be loaded stands for all its tests."""
    known = (trial.report or proving.EMPTY).by_id
    return [name for name in proving.compare(case.base, trial).blamed if name in known]


async def stays_red(grounds: Grounds, case: Case, wanted: Wanted, trial: Trial) -> Trial | None:
    """The trial that shows it red, if it is red once more and not only because it is run alone."""
    again = _red_again if trial.stopped else _not_turning
    alone = wanted.name.endswith(FIRST)
    standing = _stand_alone(grounds, case, trial) if alone else asyncio.sleep(0, True)
    stands, red = await asyncio.gather(standing, again(grounds, case, wanted, trial))
    return red if stands else None


async def _red_again(grounds: Grounds, case: Case, wanted: Wanted, trial: Trial) -> Trial | None:
    """The first red tests without the others: that says in full why they fail."""
    blamed = _blamed(case, trial)[:SUSPECTS]
    report = trial.report or proving.EMPTY
    files = sorted({report.by_id[name].file for name in blamed})
    named = case.scope.naming(wanted.commands, blamed, report)
    for number, commands in enumerate((named, case.scope.only(wanted.commands, files, report))):
        name = f"{wanted.name}-again-{number + 1}"
        fresh = replace(wanted, commands=commands, name=name, tree="", fresh=True, until=None)
        again = await grounds.trials.of(fresh)
        if again.report is None or again.report.by_id.keys() & set(blamed):
            break  # else it goes by another name when it is alone
    red = {one.id for one in again.report.red} if again.report is not None else set[str]()
    return again if red & set(blamed) else None


async def _not_turning(grounds: Grounds, case: Case, wanted: Wanted, trial: Trial) -> Trial | None:
    blamed = set(_blamed(case, trial))
    return trial if blamed - await turning(grounds, case, wanted, trial) else None


async def _stand_alone(grounds: Grounds, case: Case, trial: Trial) -> bool:
    """Whether some of the base's own tests in the files of the red ones pass by themselves."""
    known = case.base.report if case.base is not None else None
    if known is None or trial.report is None:
        return False
    blamed = set(_blamed(case, trial))
    files = {trial.report.by_id[name].file for name in blamed}
    green = {one.id: one.file for one in known.results if one.outcome.is_green}
    tests = [name for name, file in green.items() if file in files]
    passed = {one.file for one in trial.report.results if one.outcome.is_green and one.id in green}
    # new tests: their neighbours have passed beside them, or they have none
    if not blamed & green.keys() and files & set(green.values()) <= passed:
        return True
    some = {*tests[:: max(1, len(tests) // SUSPECTS)], *blamed.intersection(tests)}
    commands = case.scope.naming(case.scope.side(case.commands, case.base), some, known)
    name = f"{case.name}-base-alone"
    alone = await grounds.trials.of(Wanted(case.attempt.base, commands, name))
    red = {one.id for one in known.red}
    return alone.report is not None and all(one.id in red for one in alone.report.red)


async def turning(grounds: Grounds, case: Case, wanted: Wanted, trial: Trial) -> set[str]:
    """The tests that came and went on this one tree."""
    blamed = set(_blamed(case, trial))
    # what comes and goes is a test or two; a change that breaks many is broken
    if trial.report is None or not 0 < len(blamed) <= SUSPECTS:
        return set()
    runs, whole, found = [trial.report], wanted.commands, set[str]()
    files = sorted({one.file for one in trial.report.results if one.id in blamed})
    commands = case.scope.naming(whole, blamed, trial.report)
    for number in range(grounds.settings.verification.reruns):
        name = f"{wanted.name}-again-{number + 1}"
        fresh = await grounds.trials.of(replace(wanted, commands=commands, name=name, fresh=True))
        if fresh.report is None:
            break
        if not blamed <= fresh.report.by_id.keys() and commands != whole:
            commands = case.scope.only(whole, files, trial.report) if all(files) else whole
            continue  # it goes by another name when it is alone
        runs.append(fresh.report)
        found = set(flaky(runs))
        if not blamed & found and (commands != whole or set(files) <= set(case.guarded)):
            break  # red twice: alone, or in a file that the change itself wrote
        if blamed <= found and commands == whole:
            break
        commands = whole  # what passes alone may still fail among the others
        runs = runs[:1]
    return found
