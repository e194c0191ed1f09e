"""The states of the repository that a candidate is tried in, side by side where they can be."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.checks import canary
from ralph.checks.hollowed import all_pass, hollow, new
from ralph.checks.results.recognise import recognise
from ralph.checks.twisted import Source, Twisted, can_twist, twist
from ralph.domain.evidence import Fact, FactKind
from ralph.domain.tests import TestChange
from ralph.loop.overlay import made_whole, overlay
from ralph.loop.reddened import FIRST, shows_red, stays_red, turning
from ralph.loop.scope import QUARTER, company, times
from ralph.loop.trials import Wanted
from ralph.policy import proof as proving
from ralph.policy.identity import moving, without
from ralph.policy.paths import is_source, is_test
from ralph.policy.weigh import PRODUCING
from ralph.repo.beside import beside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ralph.domain.task import Command
    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.loop.ports import Grounds
    from ralph.loop.proof import Case

HALF = 0.5
"""The share of a run that has to be saved by running some tests before the others."""
STARTS_EACH = frozenset(("node", "jest", "vitest", "ava"))
"""Runners that start anew for every file: that is most of what short tests take."""
NOT_ALL = "The verdict did not wait for all tests: more may fail than are named."
PATIENCE = 3
"""Seconds that tests have in any case where the source does less than they ask for."""


async def try_all(grounds: Grounds, case: Case) -> None:
    """The change and its variants: the overlay, the base with the new tests, a canary."""
    candidate, name = case.proof.candidate, case.name
    whole = Wanted(candidate.commit, case.commands, name, candidate.tree, case.proof.files)
    base = Wanted(case.attempt.base, case.commands, f"{name}-base", lasting=True)
    tells = any(recognise(one, grounds.root).runners for one in case.commands)
    case.base = grounds.trials.known(base)
    head = whole if case.base is None else replace(whole, until=partial(shows_red, case))
    at_once = (head,) if case.base is not None or not tells else (head, base)
    difference = beside(partial(grounds.workspace.text_diff, case.attempt.base, candidate.commit))
    others = partial(_others, grounds, case)
    first = _first(grounds, case, head)
    tried = await grounds.trials.all(*at_once, *first, then=others, enough=partial(_is_red, case))
    case.difference = difference.result()
    if case.base is not None and len(tried) == 1:
        (wanted,) = (one for one in (head, *first) if one.name in tried)
        red = await stays_red(grounds, case, wanted, tried[wanted.name])
        if red is not None:
            some = wanted is not head or tried[wanted.name].stopped
            case.head, case.notes = red, (*red.notes, NOT_ALL) if some else red.notes
            return
        tried = await grounds.trials.all(whole, then=others)
    case.head, case.notes = tried[name], tried[name].notes
    case.base = case.base or tried.get(base.name)
    if case.head.report is not None:
        case.base = case.base or await grounds.trials.of(base)
        rest = partial(_beside, grounds, case, case.head, tried)
        tried |= await grounds.trials.all(then=rest)
        await _set_aside_moving(grounds, case)
    case.overlay = await made_whole(grounds, case, tried.get(f"{name}-overlay"))
    case.red = await _red_by_tests_alone(grounds, case, tried.get(f"{name}-red"))
    case.canary = tried.get(f"{name}-canary")
    case.hollow = tried.get(f"{name}-hollow-1")
    case.first = tried.get(f"{name}{FIRST}")
    await _canary_alone(grounds, case)
    over = case.overlay.report if case.overlay is not None else None
    empty = over is not None and not over.results  # the task declares every test of the base
    if case.head.report is not None and (empty or (case.overlay is None and not case.protected)):
        case.overlay = case.head  # nothing to put back: the overlay is the change itself
    await _again(grounds, case, whole)


def _first(grounds: Grounds, case: Case, head: Wanted) -> tuple[Wanted, ...]:
    """The change with the tests that can see it alone, if that takes much less than all."""
    report = case.base.report if case.base is not None else None
    if report is None or grounds.trials.known(head) or not case.scope.takes_files(case.commands):
        return ()
    seconds = times(report)
    files = dict.fromkeys(case.scope.there(report))
    if case.scope.leaves_out:
        # a new file may be left out by itself, and run if it is named
        files = {name: None for name in files if name in seconds}
    seeing = case.scope.seeing(frozenset(seconds)) or frozenset()
    left = QUARTER * sum(seconds.values()) - sum(seconds.get(one, 0) for one in files)
    others = case.scope.of_tests(seeing - files.keys(), case.base)
    for file in sorted(others, key=lambda one: seconds[one]):
        left -= seconds[file]
        if left < 0:
            break
        files[file] = None
    side = case.scope.side(case.commands, case.base)
    commands = case.scope.only(side, files, report)
    if not files or commands == side or not _saves_half(case.base, seconds, files):
        return ()
    return (replace(head, commands=commands, name=head.name + FIRST, tree=""),)


def _saves_half(base: Trial | None, seconds: Mapping[str, float], files: Collection[str]) -> bool:
    """Whether what is left out takes half of a run: what starts the tests takes its time as well.

    Tests that run side by side take less than their times added up.
    """
    run = sum(result.seconds for result in base.results) if base is not None else 0
    every = sum(seconds.values())
    left_out = sum(took for file, took in seconds.items() if file not in files)
    saved = left_out * min(1, run / every if every else 1)
    if base is not None and base.report is not None and base.report.runner in STARTS_EACH:
        share = len(seconds.keys() - set(files)) / max(1, len(seconds))
        saved += max(0, run - every) * share
    return saved >= HALF * run


def _is_red(case: Case, name: str, trial: Trial) -> bool:
    """Whether the change is red, or tests that can see it are: nobody has to wait for the rest."""
    if case.base is None or name not in (case.name, f"{case.name}{FIRST}"):
        return False
    told = trial.report is not None and not trial.report.problems
    return told and bool(proving.compare(case.base, trial).blamed)


def _others(grounds: Grounds, case: Case) -> Iterator[Wanted]:
    """What can be tried beside the change."""
    every = [*overlay(grounds, case)]
    if case.base is not None and case.scope.only_tests(case.base.report):
        # what the base reports tells where its tests are, and whether they still are there
        every += _beside(grounds, case, case.base)
    yield from every


def _beside(
    grounds: Grounds, case: Case, like: Trial, done: Collection[str] = ()
) -> Iterator[Wanted]:
    """What single tests must tell: `like` says which of the checks report them."""
    commands = case.scope.side(case.commands, like)
    if like.report is None or not commands:
        return
    settings, name = grounds.settings.verification, case.name
    wants_red = case.guarded and settings.red_green and case.attempt.task.kind in PRODUCING
    if wants_red and f"{name}-red" not in done:
        onto, source = case.attempt.base, case.proof.candidate.commit
        commit = grounds.workspace.variant(onto, source, case.guarded)
        few = case.scope.only(commands, case.scope.there(like.report), like.report)
        # without the work a new test may never end
        limit = _patience(case)
        yield Wanted(commit, few, f"{name}-red", changed=case.guarded, seconds=limit)
    if f"{name}-canary" not in done:
        _doubt(grounds, case, like.report)
        later = settings.canary and case.planted is None and case.head.report is None
        if not later:  # the change may tell where its tests are
            yield from _canary(grounds, case, commands, like.report)
    if settings.twist and case.attempt.task.kind in PRODUCING and f"{name}-hollow-1" not in done:
        yield from _hollow(grounds, case, commands, like.report, 0)


async def _red_by_tests_alone(grounds: Grounds, case: Case, red: Trial | None) -> Trial | None:
    """What runs the tests may have changed with the source, and not work without it."""
    tests = tuple(filter(is_test, case.guarded))
    if red is None or red.report is not None or tests == case.guarded or not tests:
        return red
    commit = grounds.workspace.variant(case.attempt.base, case.proof.candidate.commit, tests)
    commands = case.scope.side(case.commands, case.head)
    again = Wanted(commit, commands, f"{case.name}-red-2", changed=tests, seconds=_patience(case))
    return await grounds.trials.of(again)


def _doubt(grounds: Grounds, case: Case, report: TestReport) -> None:
    """Plant what has to fail: a test of our own, and the new ones with wrong expectations."""
    settings, commit = grounds.settings.verification, case.proof.candidate.commit
    if settings.canary:
        sample = text_at(grounds, commit, canary.neighbour(report))
        case.planted = canary.plant(report, sample) if sample else None
    if settings.twist and case.attempt.task.kind in PRODUCING:
        show = partial(grounds.workspace.show, commit)
        case.twisted = twist(showing(grounds, case), report, lambda: case.scope.listing, show)


def showing(grounds: Grounds, case: Case) -> Iterator[Source]:
    """The files of the tests that may show the work: changed ones, and those that were red."""
    before = case.base.report if case.base is not None else None
    red = before.red if before is not None else ()
    changes = case.proof.candidate.files
    there = sorted(c.path for c in changes if c.status != "D" and c.path in case.guarded)
    for path in dict.fromkeys((*there, *(one.file for one in red))):
        text = text_at(grounds, case.proof.candidate.commit, path) if can_twist(path) else ""
        if text:
            were_red = tuple(one for one in red if one.file == path)
            yield Source(path, text, text_at(grounds, case.attempt.base, path), were_red)


def text_at(grounds: Grounds, commit: str, path: str) -> str:
    """What a file held; nothing if there was none."""
    data = grounds.workspace.show(commit, path) if path else None
    return "" if data is None else data.decode("utf-8", "replace")


def _canary(
    grounds: Grounds, case: Case, commands: tuple[Command, ...], report: TestReport
) -> Iterator[Wanted]:
    planted = {case.planted.path: case.planted.text.encode()} if case.planted else {}
    written = {**case.twisted.written, **planted}
    if not written:
        return
    variant = grounds.workspace.variant(case.proof.candidate.commit, write=written)
    gone = {c.path if c.status == "D" else c.old for c in case.proof.candidate.files}
    short = case.scope.of_tests(company(report), case.base)
    others = (name for name in short if name not in gone)
    files = (*planted, *case.twisted.files, *case.scope.there(report), *others)
    few = commands
    if case.scope.only_tests(report) or case.scope.names_files():
        few = case.scope.only(commands, dict.fromkeys(files), report)
    if report.searched and few == commands and case.scope.names_files():
        case.planted, case.twisted = None, Twisted()  # the check says which files it runs
        return
    # a test that expects something else may wait for it for ever
    limit = _patience(case)
    yield Wanted(variant, few, f"{case.name}-canary", changed=case.proof.files, seconds=limit)


def _hollow(
    grounds: Grounds,
    case: Case,
    commands: tuple[Command, ...],
    report: TestReport,
    turn: int,
    only: tuple[str, ...] = (),
) -> Iterator[Wanted]:
    """The change with nothing in its functions: the tests that may show it have to notice."""
    tests = list(showing(grounds, case))
    told = "\n".join(one.text for one in tests)
    written = hollow(_changed(grounds, case), turn, told, only)
    if tests and written:
        own = [one.path for one in tests if case.scope.is_own(one.path, report)]
        few = case.scope.only(commands, own, report)
        variant = grounds.workspace.variant(case.proof.candidate.commit, write=written)
        name = "-".join((case.name, "hollow", str(turn + 1), *only))
        case.hollowed = case.hollowed if only else tuple(written)
        # what waits for a function that does nothing may wait for ever
        limit = _patience(case)
        yield Wanted(variant, few, name, changed=case.proof.files, seconds=limit)


def _patience(case: Case) -> float:
    """Seconds for tests of source that may never answer: twice what all tests take with it."""
    tried = case.base or case.head
    return PATIENCE + 2 * sum(one.seconds for one in tried.results)


async def passes_hollow(grounds: Grounds, case: Case, turns: Collection[int], *only: str) -> bool:
    """Whether the tests that show the work pass whatever its functions return."""
    if case.head.report is None:
        return False
    for turn in turns:
        side = case.scope.side(case.commands, case.head)
        wanted = _hollow(grounds, case, side, case.head.report, turn, only)
        trial = next(iter((await grounds.trials.all(*wanted)).values()), None)
        if trial is None or not all_pass(trial, case.shown):
            return False
    return True


def new_functions(grounds: Grounds, case: Case) -> tuple[str, ...]:
    return new(_changed(grounds, case))


def _changed(grounds: Grounds, case: Case) -> Iterator[Source]:
    """What may be the work: neither tests nor words."""
    for path in case.proof.files:
        if path not in case.guarded and is_source(path):
            now = text_at(grounds, case.proof.candidate.commit, path)
            yield Source(path, now, text_at(grounds, case.attempt.base, path))


async def _canary_alone(grounds: Grounds, case: Case) -> None:
    """A copy that cannot be loaded may stop the whole run: then the canary gets one of its own."""
    if case.planted is None or case.canary is None or not case.twisted.written:
        return
    if any(canary.silent(case.canary, case.planted)):
        case.twisted = Twisted()
        write = {case.planted.path: case.planted.text.encode()}
        variant = grounds.workspace.variant(case.proof.candidate.commit, write=write)
        commands = case.scope.side(case.commands, case.head) or case.commands
        if case.head.report is not None and case.scope.names_files():
            files = (case.planted.path, *case.scope.there(case.head.report))
            commands = case.scope.only(commands, files, case.head.report)
        alone = Wanted(variant, commands, f"{case.name}-canary", changed=case.proof.files)
        case.canary = await grounds.trials.of(alone)


async def unheard_before(grounds: Grounds, case: Case) -> bool:
    """Whether the base does not notice such a test either: its checks run tests by their names."""
    report = case.base.report if case.base is not None else None
    sample = text_at(grounds, case.attempt.base, canary.neighbour(report))
    planted = canary.plant(report, sample) if sample else None
    if planted is None:
        return False
    write = {planted.path: planted.text.encode()}
    variant = grounds.workspace.variant(case.attempt.base, write=write)
    commands = case.scope.side(case.commands, case.base) or case.commands
    trial = await grounds.trials.of(Wanted(variant, commands, f"{case.name}-base-canary"))
    return any(canary.silent(trial, planted))


async def _set_aside_moving(grounds: Grounds, case: Case) -> None:
    """Tests that the base has in one run and not in the next have no name to be known by."""
    report = case.base.report if case.base is not None else None
    gone = proving.compare(case.base, case.head).having(TestChange.REMOVED)
    if case.base is None or report is None or not gone:
        return
    files = sorted({report.by_id[name].file for name in gone if name in report.by_id})
    side = case.scope.side(case.commands, case.base)
    commands = case.scope.only(side, files, report) if all(files) else side
    name = f"{case.name}-base-again"
    again = await grounds.trials.of(Wanted(case.attempt.base, commands, name, fresh=True))
    if again.report is not None and (names := moving(report, again.report) & set(gone)):
        reports = tuple(one and without(one, names) for one in case.base.reports)
        case.base = replace(case.base, reports=reports)
        text = (
            f"Tests whose names change from run to run are not compared: {proving.listed(names)}."
        )
        case.notes = (*case.notes, text)


async def _again(grounds: Grounds, case: Case, head: Wanted) -> None:
    """A test that turned red is tried again: one that comes and goes is set aside, and named."""
    found = await turning(grounds, case, head, case.head)
    if case.overlay is not None and case.overlay is not case.head:
        over = replace(head, commit=case.overlay.commit, name=f"{case.name}-overlay", tree="")
        found |= await turning(grounds, case, over, case.overlay)
    case.flaky = tuple(sorted(found))
    if case.flaky:
        text = f"Comes and goes, so it is set aside: {proving.listed(case.flaky)}."
        case.facts.append(Fact(FactKind.FLAKY, text, tests=case.flaky))
