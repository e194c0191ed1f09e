"""Everything that speaks for or against a candidate, put together in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.checks import canary, diff_facts
from ralph.checks.hollowed import all_pass, unnoticed
from ralph.checks.program import does_the_same
from ralph.checks.twisted import Twisted, unheeded
from ralph.domain.evidence import Evidence, Fact, FactKind, Weight
from ralph.domain.task import Command, Kind, shown
from ralph.domain.trial import Trial
from ralph.domain.verdict import Level, Verdict
from ralph.loop import criteria, judge
from ralph.loop.attempt import Attempt, Proof
from ralph.loop.trials import Wanted
from ralph.loop.variants import showing, text_at, try_all, try_hollow
from ralph.policy import proof as proving
from ralph.policy.answers import parameters
from ralph.policy.paths import guards_tests
from ralph.policy.weigh import PRODUCING, heaviest, is_declared, weigh

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ralph.domain.evidence import Weighed
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Task
    from ralph.domain.verdict import CheckResult
    from ralph.loop.house import House


PACK = 20
"""Finished tasks whose checks are run again, the newest."""


class Case(Struct):
    """One candidate before the court: what was tried, and what came to light."""

    attempt: Attempt
    proof: Proof
    commands: tuple[Command, ...]
    head: Trial
    difference: str = ""
    base: Trial | None = None
    overlay: Trial | None = None
    few: tuple[str, ...] = ()
    """The tests that the overlay was run for; none if it was all of them."""
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
    def guarded(self) -> tuple[str, ...]:
        """Changed files that say what the tests are or how they run."""
        names = {name for c in self.proof.candidate.files for name in (c.path, c.old) if name}
        names -= set(self.proof.inside)
        return tuple(sorted(name for name in names if guards_tests(name, self.commands)))

    @property
    def protected(self) -> tuple[str, ...]:
        """Those of them that the task does not declare: the overlay puts them back."""
        declared = self.attempt.task.may_change_tests
        return tuple(name for name in self.guarded if not is_declared(name, declared))


async def examine(house: House, attempt: Attempt, proof: Proof) -> Verdict:
    """Try the candidate and its variants, and say what that proves."""
    commands = house.commands_for(attempt.task)
    case = Case(attempt, proof, commands, Trial(proof.candidate.commit))
    await try_all(house, case)
    held = proving.held_against(case.base, case.head, case.flaky)
    if not held.passed and case.head.failure is not None:
        return _failed(house, case, held.blamed)
    _look(house, case)
    if held.old and attempt.task.kind in PRODUCING and not case.shown:
        return _failed(house, case, ())  # red before and after: nothing shows that this was done
    if held.old:
        text = f"Red before this task, and still: {proving.listed(held.old)}."
        case.facts.append(Fact(FactKind.WAS_RED, text, tests=held.old))
    _canary(case)
    await _hollow(house, case)
    await _held_out(house, case)
    await _criteria(house, case)
    await _earlier_tasks(house, case)
    await _second_opinion(house, case)
    return _judged(house, case)


def _look(house: House, case: Case) -> None:
    """What the difference and the trials say."""
    settings, task = house.settings.verification, case.attempt.task
    files = case.proof.files
    changes = diff_facts.by_file(case.difference)
    if settings.smells:
        before = partial(text_at, house, case.attempt.base)
        case.facts.extend(
            diff_facts.facts(
                files,
                changes,
                before,
                task,
                case.commands,
                reported=all(report is not None for report in case.head.reports),
                code=_code(house, case, changes) if task.kind is Kind.DOCS else (),
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
        tests = [*(one.text for one in showing(house, case)), *map(parameters, case.shown)]
        case.facts.extend(diff_facts.from_memory(changes, "\n".join(tests), task))
    if settings.red_green and proving.wants_red_test(task, case.head) and not case.shown:
        text = "No test fails without this change and passes with it."
        case.facts.append(Fact(FactKind.NO_RED_TEST, text))
        case.facts.extend(proving.about_new_tests(case.base, case.head))
        if not _code(house, case, changes):
            text = f"No source was changed, only {', '.join(files[:5])}."
            case.facts.append(Fact(FactKind.NO_SOURCE, text))


def _code(house: House, case: Case, changes: Mapping[str, diff_facts.Lines]) -> list[str]:
    """The files in which the program was changed, and not only what is said about it."""
    before, after = case.attempt.base, case.proof.candidate.commit
    return [
        path
        for path in diff_facts.changed_code(case.proof.files, changes)
        if not does_the_same(path, text_at(house, before, path), text_at(house, after, path))
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


async def _hollow(house: House, case: Case) -> None:
    """If the work does nothing, a test that shows it has to notice, whatever that returns."""
    if not case.shown or case.hollow is None or not all_pass(case.hollow, case.shown):
        return
    second = await try_hollow(house, case)
    if second is not None and all_pass(second, case.shown):
        case.facts.append(unnoticed(case.hollowed, case.shown))


async def _held_out(house: House, case: Case) -> None:
    for check in house.held_out.for_task(case.attempt.task):
        commit = house.workspace.variant(case.proof.candidate.commit, write=check.files)
        name = f"{case.name}-held-out-{check.name}"
        trial = await house.trials.of(
            Wanted(commit, (check.command,), name, changed=case.proof.files, hidden=True)
        )
        case.held_out = True
        if fact := check.fact(trial):
            case.facts.append(fact)


async def _criteria(house: House, case: Case) -> None:
    case.evidence, facts = await criteria.evidence(house, case)
    case.facts.extend(facts)


async def _earlier_tasks(house: House, case: Case) -> None:
    """The regression pack: what proved finished tasks still has to hold."""
    if not house.settings.verification.regression_pack:
        return
    done = [task for task in case.attempt.plan.tasks if task.is_done and own_commands(task)]
    for task in done[-PACK:]:
        commands = tuple(one for one in own_commands(task) if one not in case.commands)
        name = f"{case.name}-pack-{task.id}"
        if not commands or await _holds(house, case, commands, name):
            continue
        case.broke += (task.id,)
        text = f"{task.id} was finished before, and its check fails now."
        case.facts.append(Fact(FactKind.BROKE_EARLIER, text))


async def _holds(house: House, case: Case, commands: tuple[Command, ...], name: str) -> bool:
    """Whether these checks pass, or failed before this change as well."""
    after = await house.trials.of(Wanted(case.proof.candidate.commit, commands, name))
    if after.passed:
        return True
    before = await house.trials.of(Wanted(case.attempt.base, commands, f"{name}-base"))
    return not before.passed


def own_commands(task: Task) -> tuple[Command, ...]:
    return (*task.verify, *(one.command for one in task.bound if one.command))


async def _second_opinion(house: House, case: Case) -> None:
    if house.judge is not None and not any(
        one.weight is Weight.REJECT
        for one in weigh(case.facts, case.attempt.task, house.settings.verification)
    ):
        case.facts.extend(await judge.opinion(house, case.attempt, case.difference, case.facts))


def _failed(house: House, case: Case, blamed: tuple[str, ...]) -> Verdict:
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
        notes=(*house.notes, *case.notes),
        facts=weigh(case.facts, case.attempt.task, house.settings.verification),
    )


def _why(failure: CheckResult | None) -> str:
    if failure is None:
        return "the checks fail"
    return f"`{shown(failure.command)}` {failure.why or f'exited {failure.exit_code}'}"


def _judged(house: House, case: Case) -> Verdict:
    task, settings = case.attempt.task, house.settings.verification
    level = _level(house, case, weigh(case.facts, task, settings))
    required = _required(case, settings)
    if Level.CLAIMED.rank < level.rank < required.rank:
        text = f"It reaches the level {level}, and verification.require says {required}."
        case.facts.append(Fact(FactKind.BELOW, text))
    weighed = weigh(case.facts, task, settings)
    worst = heaviest(weighed)
    against = [one for one in weighed if one.weight is worst] if worst is not Weight.NOTE else []
    return Verdict(
        passed=worst is not Weight.REJECT,
        level=level,
        why="; ".join(one.fact.text for one in against) or f"all checks passed: {level}",
        commit=case.proof.candidate.commit,
        tree=case.proof.candidate.tree,
        results=case.head.results,
        notes=(*house.notes, *case.notes),
        facts=weighed,
        shown=case.shown,
        evidence=case.evidence,
        broke=case.broke,
        untested=any(
            one.fact.kind is FactKind.NO_RED_TEST and one.weight is Weight.NOTE for one in weighed
        ),
    )


def _level(house: House, case: Case, weighed: tuple[Weighed, ...]) -> Level:
    """The highest level that nothing speaks against."""
    if not house.trials.trusted():
        return Level.CLAIMED
    open_facts = {one.fact.kind for one in weighed if one.weight is not Weight.NOTE}
    if case.overlay is None or open_facts & _AGAINST_OVERLAY:
        return Level.GREEN
    if not case.shown or not case.canary_heard or open_facts:
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
