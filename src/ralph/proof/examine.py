"""A candidate in, a verdict out: every experiment is asked, and what they find is weighed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.evidence import Fact, FactKind, Weight
from ralph.domain.task import shown as as_typed
from ralph.domain.verdict import Level, Verdict
from ralph.proof.assertions import rewritten
from ralph.proof.compare import held_against, listed
from ralph.proof.experiment import BASE, HEAD, Known
from ralph.proof.experiments import EXPERIMENTS, canary, held_out, overlay
from ralph.proof.experiments.again import held, told_flaky
from ralph.proof.experiments.criteria import evidence
from ralph.proof.experiments.earlier import broken
from ralph.proof.experiments.red_green import shown
from ralph.proof.red import red_in, stays_red
from ralph.proof.weigh import UNPROVEN, heaviest, weigh
from ralph.repo.beside import beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ralph.domain.evidence import Weighed
    from ralph.domain.trial import Trial
    from ralph.domain.verdict import CheckResult
    from ralph.proof.experiment import Experiment, Variant
    from ralph.proof.lab import Lab
    from ralph.proof.subject import Subject

NOT_ALL = "Stopped at the first failing tests: more may fail than are listed."
DETAILS = 3
"""Tests of which a person is shown what they assert."""


async def examine(
    subject: Subject, lab: Lab, experiments: Sequence[Experiment] = EXPERIMENTS
) -> Verdict:
    """Try the candidate and its variants, and say what that proves."""
    wanted = [one for one in experiments if one.wants(subject)]
    early, late = [one for one in wanted if not one.last], [one for one in wanted if one.last]
    looking = beside(lambda: subject.difference)  # it is needed when the trials have ended
    known = await _tried(early, subject, _before(subject), lab)
    if suspect := red_in(known):
        red, reruns = await stays_red(subject, known, lab, suspect)
        if red is not None:
            return _refuted(subject, known, lab, suspect, red)
        calm = replace(_before(subject), patient=True).also({}, reruns)
        known = await _tried(early, subject, calm, lab)
    looking.result()
    notes = (*lab.notes, *known.head.notes)
    notes += tuple(note for one in wanted for note in one.notes(subject, known))
    against = held(subject, known)
    if not against.passed:
        failed = _failed(subject, known.head, against.blamed, notes, told_flaky(subject, known))
        return replace(failed, trials=len(known.trials))
    facts = tuple(fact for one in early for fact in one.facts(subject, known))
    known = await _tried(late, subject, replace(known, facts=facts), lab)
    facts += tuple(fact for one in late for fact in one.facts(subject, known))
    return _judged(subject, known, facts, notes, trusted=lab.trusted())


def _before(subject: Subject) -> Known:
    """What is known before anything is tried."""
    return Known({BASE: subject.known_base} if subject.known_base is not None else {})


async def _tried(
    experiments: Sequence[Experiment], subject: Subject, known: Known, lab: Lab
) -> Known:
    """Ask for variants and try them, until nobody wants to see more, or a test is red."""
    while True:
        wanted = _new(experiments, subject, known)
        asked, trials = await lab.all(wanted, subject.name, partial(_is_refuted, known))
        known = known.also(asked, trials)
        if not asked or red_in(known):
            return known


def _is_refuted(known: Known, asked: dict[str, Variant], trials: dict[str, Trial]) -> bool:
    """Whether these trials besides are enough to send it back."""
    return bool(red_in(known.also(asked, trials)))


def _new(experiments: Iterable[Experiment], subject: Subject, known: Known) -> Iterator[Variant]:
    for one in experiments:
        for variant in one.variants(subject, known):
            if variant.name not in known:
                yield variant


def _refuted(subject: Subject, known: Known, lab: Lab, suspect: str, red: Trial) -> Verdict:
    """A test is red, and red again: the others need not be waited for."""
    some = suspect != HEAD or known.trials[suspect].stopped
    notes = (*lab.notes, *red.notes, *((NOT_ALL,) if some else ()))
    failed = _failed(subject, red, held_against(known.base, red, ()).blamed, notes)
    return replace(failed, trials=len(known.trials))


def _failed(
    subject: Subject,
    head: Trial,
    blamed: tuple[str, ...],
    notes: tuple[str, ...],
    facts: Iterable[Fact] = (),
) -> Verdict:
    """The checks fail, and not for old reasons alone."""
    return Verdict(
        passed=False,
        level=Level.NONE,
        why=f"these tests fail: {listed(blamed)}" if blamed else _why(head.failure),
        commit=subject.commit,
        tree=subject.candidate.tree,
        results=tuple(_noted(one, head.notes, subject.known_base) for one in head.results),
        tests_passed=head.tests_passed,
        tests_failed=head.tests_failed,
        notes=notes,
        facts=weigh(facts, subject.task, subject.settings),
    )


RED_BEFORE = "It failed before this task as well, and names no tests: work lands once it passes."


def _noted(result: CheckResult, notes: tuple[str, ...], base: Trial | None) -> CheckResult:
    """What the checkout lacked, and what was red before, is told with the failure."""
    if result.passed:
        return result
    told = (*notes, RED_BEFORE) if base is not None and result.command in base.unnamed else notes
    return replace(result, tail="\n".join(filter(None, (result.tail, *told)))) if told else result


def _why(failure: CheckResult | None) -> str:
    if failure is None:
        return "the checks fail"
    return f"`{as_typed(failure.command)}` {failure.why or f'exited {failure.exit_code}'}"


def _judged(
    subject: Subject,
    known: Known,
    facts: tuple[Fact, ...],
    notes: tuple[str, ...],
    *,
    trusted: bool,
) -> Verdict:
    task, settings = subject.task, subject.settings
    weighed = weigh(facts, task, settings)
    level = _level(subject, known, weighed) if trusted else Level.CLAIMED
    required = _required(subject, known)
    asked = any(one.weight is not Weight.NOTE for one in weighed)
    if Level.CLAIMED.rank < level.rank < required.rank and not asked:
        text = f"It reached level {level}; verification.require is {required}."
        weighed += weigh((Fact(FactKind.BELOW, text),), task, settings)
    worst = heaviest(weighed)
    against = [one for one in weighed if one.weight is worst] if worst is not Weight.NOTE else []
    return Verdict(
        passed=worst is not Weight.REJECT,
        level=level,
        why="; ".join(one.fact.text for one in against) or f"all checks passed: {level}",
        commit=subject.commit,
        tree=subject.candidate.tree,
        results=known.head.results,
        tests_passed=known.head.tests_passed,
        tests_failed=known.head.tests_failed,
        notes=notes,
        facts=tuple(_detailed(subject, known, one) for one in weighed),
        shown=shown(subject, known),
        evidence=evidence(subject, known),
        broke=broken(subject, known),
        untested=any(one.fact.kind in UNPROVEN for one in weighed),
        trials=len(known.trials),
    )


def _level(subject: Subject, known: Known, weighed: tuple[Weighed, ...]) -> Level:
    """The highest level that nothing speaks against."""
    open_facts = {one.fact.kind for one in weighed if one.weight is not Weight.NOTE}
    if overlay.result(subject, known) is None or open_facts & _AGAINST_OVERLAY:
        return Level.GREEN
    # a check that is red proves nothing, whatever made it so
    unproven = not shown(subject, known) or any(one.fact.kind in UNPROVEN for one in weighed)
    if unproven or not canary.is_heard(known) or open_facts or not known.head.passed:
        return Level.OVERLAY
    return Level.ACCEPTED if held_out.was_asked(known) else Level.PROVEN


def _required(subject: Subject, known: Known) -> Level:
    if subject.settings.require == "auto":
        told = any(one is not None and one.report is not None for one in (known.head, known.base))
        return Level.OVERLAY if told else Level.GREEN
    wanted = Level(subject.settings.require)
    # no test can be red first where the program does not change what it does
    return wanted if subject.produces or wanted is not Level.PROVEN else Level.OVERLAY


def _detailed(subject: Subject, known: Known, weighed: Weighed) -> Weighed:
    """With the old and the new assertions, where a person is asked about tests."""
    fact = weighed.fact
    if weighed.weight is not Weight.ASK or fact.kind not in _ABOUT_ASSERTIONS:
        return weighed
    by_id = {**known.now.by_id, **known.before.by_id}
    moved = {c.old: c.path for c in subject.candidate.files if c.old}
    found: list[str] = []
    for name in fact.tests[:DETAILS]:
        path = by_id[name].file if name in by_id else ""
        one = rewritten(name, path, subject.before(path), subject.after(moved.get(path, path)))
        found.append(one.shown if one is not None else name)
    more = len(fact.tests) - DETAILS
    found += [f"and {more} more"] if more > 0 else []
    return replace(weighed, fact=replace(fact, detail="\n".join(found)))


_ABOUT_ASSERTIONS = frozenset(
    {FactKind.OVERLAY_RED, FactKind.TEST_REWRITTEN, FactKind.TEST_REMOVED}
)
_AGAINST_OVERLAY = frozenset({*_ABOUT_ASSERTIONS, FactKind.TEST_SKIPPED, FactKind.REPORT_FORGED})
