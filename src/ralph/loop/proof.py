"""Everything that speaks for or against a candidate, put together in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.checks import canary
from ralph.checks.hollowed import SINGLE, TURNS, all_pass, only_missed, partly, unnoticed
from ralph.checks.moved import only_follows
from ralph.checks.results.recognise import words
from ralph.checks.tool_settings import can_matter
from ralph.checks.twisted import Twisted, unheeded
from ralph.domain.evidence import Evidence, Fact, FactKind, Weight
from ralph.domain.task import Command, shown
from ralph.domain.trial import Trial
from ralph.domain.verdict import Level, Verdict
from ralph.loop import criteria, silenced
from ralph.loop.attempt import Attempt, Proof
from ralph.loop.facts import about_old_red, detailed, look
from ralph.loop.scope import Scope
from ralph.loop.trials import Wanted
from ralph.loop.variants import new_functions, passes_hollow, text_at, try_all, unheard_before
from ralph.policy import proof as proving
from ralph.policy.paths import guards_tests, is_runner, is_source, is_test
from ralph.policy.weigh import PRODUCING, UNPROVEN, heaviest, is_declared, weigh

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable

    from ralph.domain.evidence import Weighed
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Task
    from ralph.domain.verdict import CheckResult
    from ralph.loop.ports import Grounds

    Opinion = Callable[[Attempt, str, Iterable[Fact]], Awaitable[Iterable[Fact]]]

UNHEARD = (
    "The checks do not notice a failing test that is added, with this change or without it: "
    "they run only the tests they know by name."
)
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
    following: frozenset[str] = frozenset()
    """Those of them that only import from where the source is now."""
    difference: str = ""
    base: Trial | None = None
    overlay: Trial | None = None
    few: tuple[str, ...] = ()
    """The tests that the overlay was run for; none if it was all of them."""
    looked_at: frozenset[str] = frozenset()
    """Files of tests of which it is known whether they see the change."""
    first: Trial | None = None
    """The change with the tests that can see it alone."""
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
        return tuple(
            name
            for name in self.guarded
            if name not in self.following and not is_declared(name, declared)
        )


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
    look(grounds, case)
    case.facts.extend(about_old_red(grounds, case, held.old))
    await silenced.hear(grounds, case)
    await _canary(grounds, case)
    await _hollow(grounds, case)
    await _held_out(grounds, case)
    await _criteria(grounds, case)
    await _earlier_tasks(grounds, case)
    if opinion is not None:
        await _second_opinion(grounds, case, opinion)
    return _judged(grounds, case)


def opened(grounds: Grounds, attempt: Attempt, proof: Proof, commands: tuple[Command, ...]) -> Case:
    candidate = proof.candidate
    changes = [c for c in candidate.files if c.path not in proof.inside]
    mine = sorted({name for c in changes for name in (c.path, c.old) if name})
    matters = partial(_matters, grounds, attempt.base, candidate.commit, commands)
    there = {c.old or c.path for c in changes if c.status != "A"}
    guarded = tuple(
        name for name in mine if guards_tests(name, commands, known=name in there) and matters(name)
    )
    scope = Scope(grounds, attempt.base, candidate.commit, changes, guarded, commands)
    known = grounds.trials.known(Wanted(attempt.base, commands, ""))
    others = [name for name in mine if name not in guarded and scope.holds_tests(name, known)]
    if others:  # they are called as no tests usually are
        guarded = tuple(sorted((*guarded, *others)))
        scope = Scope(grounds, attempt.base, candidate.commit, changes, guarded, commands)
    moves = [(c.old, c.path) for c in changes if c.status == "R" and is_source(c.path)]
    follows = partial(_follows, grounds, attempt.base, candidate.commit, moves)
    following = frozenset(filter(follows, guarded)) if moves else frozenset()
    return Case(attempt, proof, commands, Trial(candidate.commit), scope, guarded, following)


def _follows(
    grounds: Grounds, base: str, commit: str, moves: Collection[tuple[str, str]], path: str
) -> bool:
    """Whether a file of tests only imports from where the source is now."""
    before, after = text_at(grounds, base, path), text_at(grounds, commit, path)
    return is_test(path) and only_follows(before, after, moves)


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


async def _canary(grounds: Grounds, case: Case) -> None:
    if case.canary is None:
        return
    case.facts.extend(unheeded(case.canary, case.twisted, case.head.report or proving.EMPTY))
    if case.planted is None:
        return
    silent = list(canary.silent(case.canary, case.planted))
    case.canary_heard = not silent and case.canary.report is not None
    if silent and await unheard_before(grounds, case):
        case.notes = (*case.notes, UNHEARD)  # not the change's doing, but nothing is proven by it
    else:
        case.facts.extend(silent)


async def _hollow(grounds: Grounds, case: Case) -> None:
    """If the work does nothing, a test that shows it has to notice, whatever that returns."""
    if not case.shown or case.hollow is None:
        return
    names = new_functions(grounds, case)
    if all_pass(case.hollow, case.shown):
        if await passes_hollow(grounds, case, TURNS[1:]):
            missed = bool(names) or only_missed(case.red, case.shown)
            case.facts.append(unnoticed(case.hollowed, case.shown, missed=missed))
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
    weighed = tuple(detailed(grounds, case, one) for one in weigh(case.facts, task, settings))
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


_AGAINST_OVERLAY = frozenset(
    {
        FactKind.OVERLAY_RED,
        FactKind.TEST_REWRITTEN,
        FactKind.TEST_REMOVED,
        FactKind.TEST_SKIPPED,
        FactKind.REPORT_FORGED,
    }
)
