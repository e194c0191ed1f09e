"""Everything that speaks for or against a candidate, put together in one place."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from ralph.checks import canary, diff_facts
from ralph.checks.around import around
from ralph.checks.assertions import rewritten
from ralph.checks.hollowed import SINGLE, TURNS, all_pass, partly, unnoticed
from ralph.checks.program import does_the_same
from ralph.checks.results.recognise import words
from ralph.checks.tool_settings import can_matter
from ralph.checks.twisted import Twisted, unheeded
from ralph.domain.evidence import Evidence, Fact, FactKind, Weight
from ralph.domain.task import Command, Kind, shown
from ralph.domain.trial import Trial
from ralph.domain.verdict import Level, Verdict
from ralph.loop import criteria
from ralph.loop.attempt import Attempt, Proof
from ralph.loop.scope import Scope
from ralph.loop.trials import Wanted
from ralph.loop.variants import new_functions, passes_hollow, showing, text_at, try_all
from ralph.policy import proof as proving
from ralph.policy.answers import parameters
from ralph.policy.paths import guards_tests, is_runner, is_source, is_test, is_words
from ralph.policy.plausible import Touched, doubt
from ralph.policy.suppressions import is_looking, silences
from ralph.policy.weigh import PRODUCING, UNPROVEN, heaviest, is_declared, weigh

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping

    from ralph.domain.evidence import Weighed
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Task
    from ralph.domain.verdict import CheckResult
    from ralph.loop.ports import Grounds

    Opinion = Callable[[Attempt, str, Iterable[Fact]], Awaitable[Iterable[Fact]]]

DETAILS = 3
"""Tests of which a person is shown what they assert."""
PACK = 20
"""Finished tasks whose checks are run again, the newest."""


class Case(Struct):
    """One candidate before the court: what was tried, and what came to light."""

    attempt: Attempt
    proof: Proof
    commands: tuple[Command, ...]
    head: Trial
    scope: Scope
    guarded: tuple[str, ...] = ()
    """Changed files that say what the tests are or how they run."""
    difference: str = ""
    base: Trial | None = None
    overlay: Trial | None = None
    few: tuple[str, ...] = ()
    """The tests that the overlay was run for; none if it was all of them."""
    looked_at: frozenset[str] = frozenset()
    """Files of tests of which it is known whether they see the change."""
    red: Trial | None = None
    flaky: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """Tests that are red without the change and green with it."""
    planted: canary.Canary | None = None
    twisted: Twisted = field(default_factory=Twisted)
    canary: Trial | None = None
    """The trial with both of them."""
    hollowed: tuple[str, ...] = ()
    """Files whose changed functions can be made to do nothing."""
    hollow: Trial | None = None
    """The trial with these."""
    canary_heard: bool = False
    held_out: bool = False
    facts: list[Fact] = field(default_factory=list)
    evidence: tuple[Evidence, ...] = ()
    broke: tuple[str, ...] = ()
    """Tasks that were finished before and whose checks fail now."""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the logs of its trials begin with."""
        retry = self.attempt.retry
        return f"iteration-{self.attempt.iteration}" + (f"-r{retry}" if retry else "")

    @property
    def protected(self) -> tuple[str, ...]:
        """Those of them that the task does not declare: the overlay puts them back."""
        declared = self.attempt.task.may_change_tests
        return tuple(name for name in self.guarded if not is_declared(name, declared))


async def examine(
    grounds: Grounds, attempt: Attempt, proof: Proof, opinion: Opinion | None = None
) -> Verdict:
    """Try the candidate and its variants, and say what that proves.

    `opinion` is that of someone else, who may only speak against it.
    """
    commands = grounds.commands_for(attempt.task)
    case = opened(grounds, attempt, proof, commands)
    await try_all(grounds, case)
    held = proving.held_against(case.base, case.head, case.flaky)
    if not held.passed and case.head.failure is not None:
        return _failed(grounds, case, held.blamed)
    _look(grounds, case)
    case.facts.extend(_about_old_red(case, held.old))
    _canary(case)
    await _hollow(grounds, case)
    await _held_out(grounds, case)
    await _criteria(grounds, case)
    await _earlier_tasks(grounds, case)
    if opinion is not None:
        await _second_opinion(grounds, case, opinion)
    return _judged(grounds, case)


def _about_old_red(case: Case, old: tuple[str, ...]) -> Iterator[Fact]:
    """Tests that were red before: the task may be about those that can see the change."""
    report = case.head.report or proving.EMPTY
    seen: Collection[str] | None = ()
    if old and case.attempt.task.kind in PRODUCING:
        seen = case.scope.seeing({one.file for one in report.results})
    seeing = tuple(n for n in old if seen is None or report.by_id[n].file in seen)
    if seeing:
        text = (
            f"Red before this task, red still, and they see the change: {proving.listed(seeing)}."
        )
        yield Fact(FactKind.STILL_RED, text, tests=seeing)
    if rest := tuple(name for name in old if name not in seeing):
        text = f"Red before this task, and still: {proving.listed(rest)}."
        yield Fact(FactKind.WAS_RED, text, tests=rest)


def opened(grounds: Grounds, attempt: Attempt, proof: Proof, commands: tuple[Command, ...]) -> Case:
    candidate = proof.candidate
    changes = [c for c in candidate.files if c.path not in proof.inside]
    mine = sorted({name for c in changes for name in (c.path, c.old) if name})
    matters = partial(_matters, grounds, attempt.base, candidate.commit, commands)
    guarded = tuple(name for name in mine if guards_tests(name, commands) and matters(name))
    scope = Scope(grounds, attempt.base, candidate.commit, changes, guarded)
    return Case(attempt, proof, commands, Trial(candidate.commit), scope, guarded)


def _matters(
    grounds: Grounds, base: str, commit: str, commands: tuple[Command, ...], path: str
) -> bool:
    """Whether a changed file can change what the checks say; settings of other tools cannot."""
    if is_test(path) or not is_runner(path):
        return True
    tools = frozenset(word for one in commands for word in words(one, grounds.root))
    before, after = text_at(grounds, base, path), text_at(grounds, commit, path)
    installs = bool(grounds.settings.verification.setup)
    return can_matter(path, before, after, tools, installs=installs)


def _look(grounds: Grounds, case: Case) -> None:
    """What the difference and the trials say."""
    settings, task = grounds.settings.verification, case.attempt.task
    files = case.proof.files
    changes = diff_facts.by_file(case.difference)
    if settings.smells:
        before = partial(text_at, grounds, case.attempt.base)
        case.facts.extend(
            diff_facts.facts(
                files,
                changes,
                before,
                task,
                case.commands,
                looking=partial(_is_looked_at, grounds, case),
                code=_code(grounds, case, changes) if task.kind is Kind.DOCS else (),
                tests={result.file for result in (case.head.report or proving.EMPTY).results},
            )
        )
    kept = diff_facts.keeps_values(changes)
    case.facts.extend(proving.about_tests(case.base, case.head, case.overlay, values_kept=kept))
    if case.overlay is not None and case.overlay is not case.head:
        case.facts.extend(proving.about_overlay(case.base, case.head, case.overlay, case.flaky))
    case.shown = tuple(
        sorted(proving.shown_by(case.base, case.head, case.overlay, case.red) - set(case.flaky))
    )
    if settings.smells and task.kind in PRODUCING:
        tests = [*(one.text for one in showing(grounds, case)), *map(parameters, case.shown)]
        case.facts.extend(diff_facts.from_memory(changes, "\n".join(tests), task))
    if settings.red_green and proving.wants_red_test(task, case.head) and not case.shown:
        text = "No test fails without this change and passes with it."
        case.facts.append(Fact(FactKind.NO_RED_TEST, text))
        case.facts.extend(proving.about_new_tests(case.base, case.head))
        if why := _doubt(grounds, case, changes):
            kind = FactKind.NO_SOURCE if why.startswith("No source") else FactKind.UNRELATED
            case.facts.append(Fact(kind, why))


def _doubt(grounds: Grounds, case: Case, changes: Mapping[str, diff_facts.Lines]) -> str:
    """Why a change that no test shows may not be the task at all."""
    commit = case.proof.candidate.commit
    code = _code(grounds, case, changes)
    touched: list[Touched] = []
    for path in case.proof.files:
        lines = changes.get(path, diff_facts.Lines())
        inside = around(path, text_at(grounds, commit, path), lines.at) if path in code else ()
        touched.append(Touched(path, lines.added + lines.removed, inside))
    idle = {path for path in case.proof.files if is_source(path)}.difference(code)
    return doubt(case.attempt.task, touched, idle, partial(_exists, grounds, commit))


def _exists(grounds: Grounds, commit: str, name: str) -> bool:
    """Whether the name stands in something that is neither a test nor words."""
    found = grounds.workspace.search(commit, re.escape(name), ("",))
    return any(not is_test(path) and not is_words(path) for path, _ in found)


def _is_looked_at(grounds: Grounds, case: Case, tools: Collection[str]) -> bool:
    """Whether a check runs one of these tools, or may."""
    reports = (*case.head.reports, *(None,) * len(case.commands))
    named = [words(one, grounds.root) for one in case.commands]
    told = all(
        report is not None or is_looking(some) for some, report in zip(named, reports, strict=False)
    )
    return silences(tools, frozenset().union(*named), told=told)


def _code(grounds: Grounds, case: Case, changes: Mapping[str, diff_facts.Lines]) -> list[str]:
    """The files in which the program was changed, and not only what is said about it."""
    before, after = case.attempt.base, case.proof.candidate.commit
    return [
        path
        for path in diff_facts.changed_code(case.proof.files, changes)
        if not does_the_same(path, text_at(grounds, before, path), text_at(grounds, after, path))
    ]


def _canary(case: Case) -> None:
    if case.canary is None:
        return
    case.facts.extend(unheeded(case.canary, case.twisted))
    if case.planted is None:
        return
    silent = list(canary.silent(case.canary, case.planted))
    case.facts.extend(silent)
    case.canary_heard = not silent and case.canary.report is not None


async def _hollow(grounds: Grounds, case: Case) -> None:
    """If the work does nothing, a test that shows it has to notice, whatever that returns."""
    if not case.shown or case.hollow is None:
        return
    names = new_functions(grounds, case)
    if all_pass(case.hollow, case.shown):
        if await passes_hollow(grounds, case, TURNS[1:]):
            case.facts.append(unnoticed(case.hollowed, case.shown, names))
        return
    if 1 < len(names) <= SINGLE:
        idle = [name for name in names if await passes_hollow(grounds, case, TURNS, name)]
        if idle:
            case.facts.append(partly(idle, case.shown))


async def _held_out(grounds: Grounds, case: Case) -> None:
    for check in grounds.held_out.for_task(case.attempt.task):
        commit = grounds.workspace.variant(case.proof.candidate.commit, write=check.files)
        name = f"{case.name}-held-out-{check.name}"
        trial = await grounds.trials.of(
            Wanted(commit, (check.command,), name, changed=case.proof.files, hidden=True)
        )
        case.held_out = True
        if fact := check.fact(trial):
            case.facts.append(fact)


async def _criteria(grounds: Grounds, case: Case) -> None:
    case.evidence, facts = await criteria.evidence(grounds, case)
    case.facts.extend(facts)


async def _earlier_tasks(grounds: Grounds, case: Case) -> None:
    """The regression pack: what proved finished tasks still has to hold."""
    if not grounds.settings.verification.regression_pack:
        return
    done = [task for task in case.attempt.plan.tasks if task.is_done and own_commands(task)]
    for task in done[-PACK:]:
        commands = tuple(one for one in own_commands(task) if one not in case.commands)
        name = f"{case.name}-pack-{task.id}"
        if not commands or await _holds(grounds, case, commands, name):
            continue
        case.broke += (task.id,)
        text = f"{task.id} was finished before, and its check fails now."
        case.facts.append(Fact(FactKind.BROKE_EARLIER, text))


async def _holds(grounds: Grounds, case: Case, commands: tuple[Command, ...], name: str) -> bool:
    """Whether these checks pass, or failed before this change as well."""
    after = await grounds.trials.of(Wanted(case.proof.candidate.commit, commands, name))
    if after.passed:
        return True
    before = await grounds.trials.of(Wanted(case.attempt.base, commands, f"{name}-base"))
    return not before.passed


def own_commands(task: Task) -> tuple[Command, ...]:
    return (*task.verify, *(one.command for one in task.bound if one.command))


async def _second_opinion(grounds: Grounds, case: Case, opinion: Opinion) -> None:
    weighed = weigh(case.facts, case.attempt.task, grounds.settings.verification)
    if not any(one.weight is Weight.REJECT for one in weighed):
        case.facts.extend(await opinion(case.attempt, case.difference, case.facts))


def _failed(grounds: Grounds, case: Case, blamed: tuple[str, ...]) -> Verdict:
    """The checks fail, and not for old reasons alone."""
    failure = case.head.failure
    why = f"these tests fail: {proving.listed(blamed)}" if blamed else ""
    return Verdict(
        passed=False,
        level=Level.NONE,
        why=why or _why(failure),
        commit=case.proof.candidate.commit,
        tree=case.proof.candidate.tree,
        results=case.head.results,
        notes=(*grounds.notes, *case.notes),
        facts=weigh(case.facts, case.attempt.task, grounds.settings.verification),
    )


def _why(failure: CheckResult | None) -> str:
    if failure is None:
        return "the checks fail"
    return f"`{shown(failure.command)}` {failure.why or f'exited {failure.exit_code}'}"


def _judged(grounds: Grounds, case: Case) -> Verdict:
    task, settings = case.attempt.task, grounds.settings.verification
    level = _level(grounds, case, weigh(case.facts, task, settings))
    required = _required(case, settings)
    asked = any(one.weight is not Weight.NOTE for one in weigh(case.facts, task, settings))
    if Level.CLAIMED.rank < level.rank < required.rank and not asked:
        text = f"It reaches the level {level}, and verification.require says {required}."
        case.facts.append(Fact(FactKind.BELOW, text))
    weighed = tuple(_detailed(grounds, case, one) for one in weigh(case.facts, task, settings))
    worst = heaviest(weighed)
    against = [one for one in weighed if one.weight is worst] if worst is not Weight.NOTE else []
    return Verdict(
        passed=worst is not Weight.REJECT,
        level=level,
        why="; ".join(one.fact.text for one in against) or f"all checks passed: {level}",
        commit=case.proof.candidate.commit,
        tree=case.proof.candidate.tree,
        results=case.head.results,
        notes=(*grounds.notes, *case.notes),
        facts=weighed,
        shown=case.shown,
        evidence=case.evidence,
        broke=case.broke,
        untested=any(one.fact.kind in UNPROVEN for one in weighed),
    )


def _detailed(grounds: Grounds, case: Case, weighed: Weighed) -> Weighed:
    """With the old and the new assertions, where a person is asked about tests."""
    fact = weighed.fact
    if weighed.weight is not Weight.ASK or fact.kind not in _ABOUT_ASSERTIONS:
        return weighed
    before = (case.base.report if case.base is not None else None) or proving.EMPTY
    known = {**(case.head.report or proving.EMPTY).by_id, **before.by_id}
    moved = {c.old: c.path for c in case.proof.candidate.files if c.old}
    found: list[str] = []
    for name in fact.tests[:DETAILS]:
        path = known[name].file if name in known else ""
        old = text_at(grounds, case.attempt.base, path)
        new = text_at(grounds, case.proof.candidate.commit, moved.get(path, path))
        one = rewritten(name, path, old, new)
        found.append(one.shown if one is not None else name)
    more = len(fact.tests) - DETAILS
    found += [f"and {more} more"] if more > 0 else []
    return structs.replace(weighed, fact=structs.replace(fact, detail="\n".join(found)))


def _level(grounds: Grounds, case: Case, weighed: tuple[Weighed, ...]) -> Level:
    """The highest level that nothing speaks against."""
    if not grounds.trials.trusted():
        return Level.CLAIMED
    open_facts = {one.fact.kind for one in weighed if one.weight is not Weight.NOTE}
    if case.overlay is None or open_facts & _AGAINST_OVERLAY:
        return Level.GREEN
    # a check that is red proves nothing, whatever made it so
    unproven = not case.shown or any(one.fact.kind in UNPROVEN for one in weighed)
    if unproven or not case.canary_heard or open_facts or not case.head.passed:
        return Level.OVERLAY
    return Level.ACCEPTED if case.held_out else Level.PROVEN


def _required(case: Case, settings: VerificationSettings) -> Level:
    if settings.require == "auto":
        told = [one for one in (case.head, case.base) if one is not None and one.report is not None]
        return Level.OVERLAY if told else Level.GREEN
    wanted = Level(settings.require)
    # no test can be red first where the program does not change what it does
    provable = case.attempt.task.kind in PRODUCING or wanted is not Level.PROVEN
    return wanted if provable else Level.OVERLAY


_ABOUT_ASSERTIONS = frozenset(
    {FactKind.OVERLAY_RED, FactKind.TEST_REWRITTEN, FactKind.TEST_REMOVED}
)
_AGAINST_OVERLAY = frozenset(
    {
        FactKind.OVERLAY_RED,
        FactKind.TEST_REWRITTEN,
        FactKind.TEST_REMOVED,
        FactKind.TEST_SKIPPED,
        FactKind.REPORT_FORGED,
    }
)
