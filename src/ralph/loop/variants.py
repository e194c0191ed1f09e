"""The states of the repository that a candidate is tried in, side by side where they can be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks import canary
from ralph.checks.hollowed import hollow
from ralph.checks.narrow import is_plain, narrowed
from ralph.checks.results.recognise import recognise
from ralph.checks.twisted import Source, Twisted, can_twist, twist
from ralph.domain.evidence import Fact, FactKind
from ralph.loop.overlay import made_whole, overlay
from ralph.loop.trials import Wanted
from ralph.policy import proof as proving
from ralph.policy.attribution import flaky as turning
from ralph.policy.paths import is_source, is_test
from ralph.policy.weigh import PRODUCING
from ralph.repo.beside import beside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.loop.house import House
    from ralph.loop.proof import Case

SUSPECTS = 3
"""Tests that may be flaky at once."""
PATIENCE = 10
"""Seconds that tests of hollow source have in any case."""
COMPANY = 0.1
"""The share of the suite's time that is run with a canary: what it tests may silence it."""


async def try_all(house: House, case: Case) -> None:
    """The change and its variants: the overlay, the base with the new tests, a canary."""
    candidate, name = case.proof.candidate, case.name
    head = Wanted(candidate.commit, case.commands, name, candidate.tree, case.proof.files)
    base = Wanted(case.attempt.base, case.commands, f"{name}-base")
    tells = any(recognise(one, house.root).runners for one in case.commands)
    case.base = house.trials.known(base)
    at_once = (head,) if case.base is not None or not tells else (head, base)
    difference = beside(partial(house.workspace.text_diff, case.attempt.base, candidate.commit))
    tried = await house.trials.all(*at_once, then=partial(_others, house, case))
    case.difference = difference.result()
    case.head, case.notes = tried[name], tried[name].notes
    case.base = case.base or tried.get(base.name)
    if case.head.report is not None:
        case.base = case.base or await house.trials.of(base)
        rest = partial(_beside, house, case, case.head, tried)
        tried |= await house.trials.all(then=rest)
    case.overlay = await made_whole(house, case, tried.get(f"{name}-overlay"))
    case.red = await _red_by_tests_alone(house, case, tried.get(f"{name}-red"))
    case.canary = tried.get(f"{name}-canary")
    case.hollow = tried.get(f"{name}-hollow-1")
    await _canary_alone(house, case)
    if case.overlay is None and not case.protected and case.head.report is not None:
        case.overlay = case.head  # nothing to put back: the overlay is the change itself
    await _again(house, case, head)


def _others(house: House, case: Case) -> Iterator[Wanted]:
    """What can be tried beside the change."""
    every = [*overlay(house, case)]
    if case.base is not None and _only_tests(case):
        # what the base reports tells where its tests are, and whether they still are there
        every += _beside(house, case, case.base)
    for one in every:
        yield replace(one, aside=one.commands != case.commands)


def _beside(house: House, case: Case, like: Trial, done: Collection[str] = ()) -> Iterator[Wanted]:
    """What single tests must tell: `like` says which of the checks report them."""
    commands = _telling(case, like)
    if like.report is None or not commands:
        return
    settings, name = house.settings.verification, case.name
    wants_red = case.guarded and settings.red_green and case.attempt.task.kind in PRODUCING
    if wants_red and f"{name}-red" not in done:
        onto, source = case.attempt.base, case.proof.candidate.commit
        commit = house.workspace.variant(onto, source, case.guarded)
        few = _only(case, commands, _there(case), like.report)
        yield Wanted(commit, few, f"{name}-red", changed=case.guarded)
    if f"{name}-canary" not in done:
        _doubt(house, case, like.report)
        later = settings.canary and case.planted is None and case.head.report is None
        if not later:  # the change may tell where its tests are
            yield from _canary(house, case, commands, like.report)
    if settings.twist and case.attempt.task.kind in PRODUCING and f"{name}-hollow-1" not in done:
        yield from _hollow(house, case, commands, like.report, 0)


async def _red_by_tests_alone(house: House, case: Case, red: Trial | None) -> Trial | None:
    """What runs the tests may have changed with the source, and not work without it."""
    tests = tuple(filter(is_test, case.guarded))
    if red is None or red.report is not None or tests == case.guarded or not tests:
        return red
    commit = house.workspace.variant(case.attempt.base, case.proof.candidate.commit, tests)
    commands = _telling(case, case.head)
    return await house.trials.of(Wanted(commit, commands, f"{case.name}-red-2", changed=tests))


def _telling(case: Case, like: Trial) -> tuple[Command, ...]:
    """The checks that report single tests."""
    told = zip(case.commands, like.reports, strict=False)
    return tuple(command for command, report in told if report is not None)


def _doubt(house: House, case: Case, report: TestReport) -> None:
    """Plant what has to fail: a test of our own, and the new ones with wrong expectations."""
    settings, commit = house.settings.verification, case.proof.candidate.commit
    if settings.canary:
        sample = text_at(house, commit, canary.neighbour(report))
        case.planted = canary.plant(report, sample) if sample else None
    if settings.twist and case.attempt.task.kind in PRODUCING:
        show = partial(house.workspace.show, commit)
        listing = partial(house.workspace.listing, commit)
        case.twisted = twist(showing(house, case), report, listing, show)


def showing(house: House, case: Case) -> Iterator[Source]:
    """The files of the tests that may show the work: changed ones, and those that were red."""
    before = case.base.report if case.base is not None else None
    red = before.red if before is not None else ()
    for path in dict.fromkeys((*_there(case), *(one.file for one in red))):
        text = text_at(house, case.proof.candidate.commit, path) if can_twist(path) else ""
        if text:
            were_red = tuple(one for one in red if one.file == path)
            yield Source(path, text, text_at(house, case.attempt.base, path), were_red)


def text_at(house: House, commit: str, path: str) -> str:
    """What a file held; nothing if there was none."""
    data = house.workspace.show(commit, path) if path else None
    return "" if data is None else data.decode("utf-8", "replace")


def _canary(
    house: House, case: Case, commands: tuple[Command, ...], report: TestReport
) -> Iterator[Wanted]:
    planted = {case.planted.path: case.planted.text.encode()} if case.planted else {}
    written = {**case.twisted.written, **planted}
    if not written:
        return
    variant = house.workspace.variant(case.proof.candidate.commit, write=written)
    gone = {c.path if c.status == "D" else c.old for c in case.proof.candidate.files}
    company = [*_there(case), *(name for name in _company(report) if name not in gone)]
    files = (*planted, *case.twisted.files, *company)
    few = _only(case, commands, dict.fromkeys(files), report)
    yield Wanted(variant, few, f"{case.name}-canary", changed=case.proof.files)


def _hollow(
    house: House, case: Case, commands: tuple[Command, ...], report: TestReport, turn: int
) -> Iterator[Wanted]:
    """The change with nothing in its functions: the tests that may show it have to notice."""
    tests = list(showing(house, case))
    written = hollow(_changed(house, case), turn, "\n".join(one.text for one in tests))
    if tests and written:
        few = _only(case, commands, [one.path for one in tests], report)
        variant = house.workspace.variant(case.proof.candidate.commit, write=written)
        name = f"{case.name}-hollow-{turn + 1}"
        case.hollowed = tuple(written)
        # what waits for a function that does nothing may wait for ever
        seconds = PATIENCE + 2 * sum(one.seconds for one in report.results)
        yield Wanted(variant, few, name, changed=case.proof.files, seconds=seconds)


async def try_hollow(house: House, case: Case) -> Trial | None:
    """The same once more, with functions that return something else."""
    if case.head.report is None:
        return None
    wanted = _hollow(house, case, _telling(case, case.head), case.head.report, 1)
    return next(iter((await house.trials.all(*wanted)).values()), None)


def _changed(house: House, case: Case) -> Iterator[Source]:
    """What may be the work: neither tests nor words."""
    for path in case.proof.files:
        if path not in case.guarded and is_source(path):
            now = text_at(house, case.proof.candidate.commit, path)
            yield Source(path, now, text_at(house, case.attempt.base, path))


async def _canary_alone(house: House, case: Case) -> None:
    """A copy that cannot be loaded may stop the whole run: then the canary gets one of its own."""
    if case.planted is None or case.canary is None or not case.twisted.written:
        return
    if any(canary.silent(case.canary, case.planted)):
        case.twisted = Twisted()
        write = {case.planted.path: case.planted.text.encode()}
        variant = house.workspace.variant(case.proof.candidate.commit, write=write)
        commands = _telling(case, case.head) or case.commands
        alone = Wanted(variant, commands, f"{case.name}-canary", changed=case.proof.files)
        case.canary = await house.trials.of(alone)


def _company(report: TestReport) -> Iterator[str]:
    """Files of tests that take a small part of the suite's time, the shortest first."""
    seconds: dict[str, float] = {}
    for result in report.results:
        if result.file:
            seconds[result.file] = seconds.get(result.file, 0) + result.seconds
    left = COMPANY * sum(seconds.values())
    for file, took in sorted(seconds.items(), key=lambda one: one[1]):
        left -= took
        if left < 0:
            return
        yield file


def _only_tests(case: Case) -> bool:
    """Whether the change leaves alone what says how tests are found and run."""
    return all(map(is_plain, case.guarded))


def _there(case: Case) -> list[str]:
    """The changed tests that the candidate has."""
    changes = case.proof.candidate.files
    return sorted(c.path for c in changes if c.status != "D" and c.path in case.guarded)


def _only(
    case: Case, commands: tuple[Command, ...], files: Iterable[str], report: TestReport
) -> tuple[Command, ...]:
    """The checks for these files alone, if nothing but tests was changed and they take files."""
    folders = {_folder(result.file) for result in report.results}
    wanted = list(files)
    if not _only_tests(case) or not folders.issuperset(map(_folder, wanted)):
        return commands
    return tuple(narrowed(one, wanted) or one for one in commands)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


async def _again(house: House, case: Case, head: Wanted) -> None:
    """A test that turned red is tried again: one that comes and goes is set aside, and named."""
    blamed = set(proving.compare(case.base, case.head).blamed)
    if case.overlay is not None and case.overlay is not case.head:
        blamed |= set(proving.compare(case.base, case.overlay).blamed)
    runs = [case.head]
    # what comes and goes is a test or two; a change that breaks many is broken
    tries = house.settings.verification.reruns if 0 < len(blamed) <= SUSPECTS else 0
    for number in range(tries):
        fresh = Wanted(head.commit, head.commands, f"{head.name}-again-{number + 1}", fresh=True)
        runs.append(await house.trials.of(fresh))
        case.flaky = turning(run.report for run in runs if run.report is not None)
        if blamed <= set(case.flaky):
            break
    if case.flaky:
        text = f"Comes and goes, so it is set aside: {proving.listed(case.flaky)}."
        case.facts.append(Fact(FactKind.FLAKY, text, tests=case.flaky))
