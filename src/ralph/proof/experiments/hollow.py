"""The work with nothing in its functions: a test that shows it has to notice."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ralph.proof.experiment import Experiment, Variant, remembered
from ralph.proof.experiments.red_green import patience, red_trial, showing, shown, told_by
from ralph.proof.hollowed import (
    SINGLE,
    TURNS,
    all_pass,
    hollow,
    new,
    only_missed,
    partly,
    unnoticed,
)
from ralph.proof.red import GRACE
from ralph.proof.runners.reporting import told_all
from ralph.proof.runners.words import NAMED
from ralph.proof.suite import FEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.evidence import Fact
    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject


class Hollow(Experiment):
    name = "hollow source"
    what = (
        "The candidate with changed functions that return nothing of use, first one value, then "
        "another. A test that shows the work has to fail. Then each new function by itself, if "
        "there are two or three. Left out where more than functions was changed, and for functions "
        "that are reached by decorators, by syntax or when a module is loaded. Only for features "
        "and fixes."
    )
    setting = "verification.twist"
    trials: ClassVar = {
        "hollow": "Changed functions return nothing of use: a test that shows them has to fail."
    }

    def wants(self, subject: Subject) -> bool:
        return subject.settings.twist and subject.produces

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        first, tests = _name(0), shown(subject, known)
        if first not in known:
            # with all tests it waits until it is known that one shows the work
            like = known.head if tests else told_by(subject, known)
            if like is not None:
                yield from _hollow(subject, known, like, 0)
        elif known.head.report is not None and tests:
            if all_pass(known.trials[first], tests):
                yield from _hollow(subject, known, known.head, 1)
                return
            for name in _single(subject, known):
                turn = 1 if _passed(subject, known, 0, name) else 0
                yield from _hollow(subject, known, known.head, turn, name)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        tests = shown(subject, known)
        if not tests or _name(0) not in known:
            return
        if _passed(subject, known, 0):
            if _passed(subject, known, 1):
                names = _new(subject, known)
                missed = bool(names) or only_missed(red_trial(known), tests)
                yield unnoticed(known.memo(_name(0)), tests, missed=missed)
            return
        idle = [
            name
            for name in _single(subject, known)
            if all(_passed(subject, known, turn, name) for turn in TURNS)
        ]
        if idle:
            yield partly(idle, tests)


def _name(turn: int, *only: str) -> str:
    return "-".join(("hollow", str(turn + 1), *only))


def _passed(subject: Subject, known: Known, turn: int, *only: str) -> bool:
    """Whether the tests that show the work pass whatever its functions return."""
    trial = known.get(_name(turn, *only))
    return trial is not None and all_pass(trial, shown(subject, known))


@remembered
def _new(subject: Subject, known: Known) -> tuple[str, ...]:
    """The functions that were not there before."""
    del known
    return new(subject.changed_source())


def _single(subject: Subject, known: Known) -> tuple[str, ...]:
    """Those that are emptied one by one."""
    names = _new(subject, known)
    return names if 1 < len(names) <= SINGLE else ()


def _hollow(
    subject: Subject, known: Known, like: Trial, turn: int, *only: str
) -> Iterator[Variant]:
    tests, report = showing(subject, known), like.report
    written = hollow(subject.changed_source(), turn, "\n".join(one.text for one in tests), only)
    if report is None or not tests or not written:
        return
    own = [one.path for one in tests if subject.suite.is_own(one.path, report)]
    mine = subject.suite.mine(report)
    if not any(one.red for one in tests) and {one.partition(NAMED)[0] for one in mine} == set(own):
        own = mine
    side, showing_it = subject.suite.side(like), shown(subject, known)
    commands = subject.suite.only(side, own, report)
    if 0 < len(showing_it) <= FEW:
        commands = subject.suite.naming(side, showing_it, report)
    elif commands == side and not showing_it:
        return
    yield Variant(
        _name(turn, *only),
        subject.commit,
        commands,
        write=written,
        changed=subject.files,
        seconds=patience(known),  # what waits for a function that does nothing may wait for ever
        until=told_all,
        grace=GRACE,
        memo=tuple(written),
    )
