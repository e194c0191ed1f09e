"""A test that turned red while the others still ran: it is run once more before it is believed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.trial import Trial
from ralph.proof.attribution import flaky
from ralph.proof.compare import EMPTY, compare
from ralph.proof.experiment import BASE, HEAD, Variant
from ralph.proof.identity import without
from ralph.proof.runners import loads_apart
from ralph.proof.runners.reporting import NO_END, told_all

if TYPE_CHECKING:
    from collections.abc import Collection

    from ralph.domain.tests import TestReport
    from ralph.proof.experiment import Known
    from ralph.proof.lab import Lab
    from ralph.proof.subject import Subject

SUSPECTS = 3
"""Tests that may be flaky at once."""
GRACE = 0.5
"""Seconds that a runner has to end once it has told all: some never do after a test that failed."""
LAST_WORDS = 2
"""Seconds that it has to say why a test failed, once it has told that it did."""
FIRST = "first"
"""The candidate with its own tests, or with those that can see the change, before the others."""
RED = "red"
"""The tests of the change without its work."""


def shows_red(subject: Subject, known: Known, report: TestReport) -> bool:
    """Whether a test is red that was not, and can be run once more without the others."""
    blamed = blamed_in(known, Trial("", (), (report,)))[:SUSPECTS]
    return bool(blamed) and (
        subject.suite.naming(subject.commands, blamed, report) != subject.commands
    )


def red_in(known: Known) -> str:
    """The trial that shows the change red, if one does: nobody has to wait for the rest."""
    if known.patient or BASE not in known:
        return ""
    tried = (name for name in (HEAD, FIRST) if name in known)
    return next((name for name in tried if _is_red(known, name)), "")


def _is_red(known: Known, name: str) -> bool:
    if name == FIRST and RED in known.asked and RED not in known:
        return False  # it runs beside it, and spares running the red ones once more
    trial = known.trials[name]
    told = trial.report is not None and not trial.report.problems
    return told and bool(compare(known.base, trial).blamed)


def blamed_in(known: Known, trial: Trial) -> list[str]:
    """What is red and was not before; a file that cannot be loaded stands for all its tests."""
    there = (trial.report or EMPTY).by_id
    return [name for name in compare(known.base, trial).blamed if name in there]


async def stays_red(
    subject: Subject, known: Known, lab: Lab, name: str
) -> tuple[Trial | None, dict[str, Trial]]:
    """The trial that shows it red, if it is red once more and not only because it is run alone.

    Also what all of its tests were tried again with: that need not be done twice.
    """
    trial, variant = known.trials[name], known.asked[name]
    unfit = _not_done(known, trial) if _is_whole(trial, variant) else None
    if unfit is not None and (name == FIRST or not unfit):
        return _without(trial, unfit), {}
    again = _red_again if trial.stopped else _not_turning
    standing = _stand_alone(subject, known, lab, trial) if name == FIRST else asyncio.sleep(0, True)
    stands, (red, tried) = await asyncio.gather(
        standing, again(subject, known, lab, trial, variant)
    )
    return red if stands else None, tried


def _is_whole(trial: Trial, variant: Variant) -> bool:
    """Whether all that was run was told, although nobody waited for its end."""
    ended = not trial.stopped or any(one.why == NO_END for one in trial.results)
    return ended or variant.until is told_all


def _not_done(known: Known, trial: Trial) -> frozenset[str] | None:
    """Whether tests fail with the work as they do without it, and their neighbours pass.

    If so, what else is red there, and is not to be held against it: it may need others.
    """
    report, red = trial.report or EMPTY, known.get(RED)
    blamed = frozenset(blamed_in(known, trial))
    told = red.report if red is not None and red.report is not None else EMPTY
    same = blamed & {one.id for one in told.red}
    # what cannot be loaded, and is loaded by itself, cannot be in need of others
    apart = loads_apart(report) and all(report.by_id[name].is_file for name in same)
    return blamed - same if same and (apart or _neighbours_pass(known, report, same)) else None


def _without(trial: Trial, tests: Collection[str]) -> Trial:
    reports = [one and without(one, tests) for one in trial.reports]
    return replace(trial, reports=tuple(reports))


def _neighbours_pass(known: Known, report: TestReport, tests: Collection[str]) -> bool:
    """Whether a test as old as the base passed in each of their files, if there is any."""
    green = {one.id: one.file for one in known.before.results if one.outcome.is_green}
    passed = {one.file for one in report.results if one.outcome.is_green and one.id in green}
    return {report.by_id[name].file for name in tests} & set(green.values()) <= passed


async def _red_again(
    subject: Subject, known: Known, lab: Lab, trial: Trial, variant: Variant
) -> tuple[Trial | None, dict[str, Trial]]:
    """The first red tests without the others: that says in full why they fail."""
    blamed = blamed_in(known, trial)[:SUSPECTS]
    report, suite = trial.report or EMPTY, subject.suite
    files = sorted({report.by_id[name].file for name in blamed})
    whole = suite.side(known.base) or variant.commands
    tries = suite.naming(whole, blamed, report), suite.only(whole, files, report)
    for number, commands in enumerate(tries, 1):
        name = f"{variant.name}-again-{number}"
        fresh = replace(once_more(variant, blamed), name=name, commands=commands, tree="")
        again = await lab.of(fresh, subject.name)
        if again.report is None or again.report.by_id.keys() & set(blamed):
            break  # else it goes by another name when it is alone
    red = {one.id for one in again.report.red} if again.report is not None else set[str]()
    return again if red & set(blamed) else None, {}


def once_more(variant: Variant, tests: Collection[str]) -> Variant:
    """The same for these tests: whether they pass or fail, there is nothing more to wait for."""

    def told(report: TestReport) -> bool:
        return report.by_id.keys() >= set(tests)

    return replace(variant, fresh=True, until=told, grace=LAST_WORDS)


async def _not_turning(
    subject: Subject, known: Known, lab: Lab, trial: Trial, variant: Variant
) -> tuple[Trial | None, dict[str, Trial]]:
    tried: dict[str, Trial] = {}
    while True:
        found, wanted = turning(subject, known, trial, variant)
        if wanted is None:
            return trial if set(blamed_in(known, trial)) - found else None, tried
        tried[wanted.name] = await lab.of(wanted, subject.name)
        known = known.also({}, tried)


async def _stand_alone(subject: Subject, known: Known, lab: Lab, trial: Trial) -> bool:
    """Whether some of the base's own tests in the files of the red ones pass by themselves."""
    before = known.before
    if before is EMPTY or trial.report is None:
        return False
    blamed = set(blamed_in(known, trial))
    files = {trial.report.by_id[name].file for name in blamed}
    green = {one.id: one.file for one in before.results if one.outcome.is_green}
    tests = [name for name, file in green.items() if file in files]
    if not blamed & green.keys() and _neighbours_pass(known, trial.report, blamed):
        return True
    some = {*tests[:: max(1, len(tests) // SUSPECTS)], *blamed.intersection(tests)}
    commands = subject.suite.naming(subject.suite.side(known.base), some, before)
    alone = await lab.of(Variant("base-alone", subject.base, commands), subject.name)
    red = {one.id for one in before.red}
    return alone.report is not None and all(one.id in red for one in alone.report.red)


def turning(
    subject: Subject, known: Known, trial: Trial, whole: Variant
) -> tuple[set[str], Variant | None]:
    """The tests that came and went on this one tree; and what to try next to know more."""
    blamed = set(blamed_in(known, trial))
    # what comes and goes is a test or two; a change that breaks many is broken
    if trial.report is None or not 0 < len(blamed) <= SUSPECTS:
        return set(), None
    runs, found = [trial.report], set[str]()
    files = sorted({one.file for one in trial.report.results if one.id in blamed})
    commands = subject.suite.naming(whole.commands, blamed, trial.report)
    for number in range(1, subject.settings.reruns + 1):
        name = f"{whole.name}-again-{number}"
        fresh = known.get(name)
        if fresh is None:
            return found, replace(once_more(whole, blamed), name=name, commands=commands)
        if fresh.report is None:
            break
        if not blamed <= fresh.report.by_id.keys() and commands != whole.commands:
            suite = subject.suite
            commands = (
                suite.only(whole.commands, files, trial.report) if all(files) else whole.commands
            )
            continue  # it goes by another name when it is alone
        runs.append(fresh.report)
        found = set(flaky(runs))
        alone = commands != whole.commands
        if not blamed & found and (alone or set(files) <= set(subject.guarded)):
            break  # red twice: alone, or in a file that the change itself wrote
        if blamed <= found and not alone:
            break
        commands = whole.commands  # what passes alone may still fail among the others
        runs = runs[:1]
    return found, None
