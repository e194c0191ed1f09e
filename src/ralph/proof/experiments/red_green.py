"""The new tests without the work: those that fail there and pass with it show the work."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from ralph.domain.evidence import Fact, FactKind
from ralph.domain.tests import TestChange
from ralph.proof.assertions import asserts, skips_itself, source_of
from ralph.proof.compare import EMPTY, about_new_tests, compare, shown_by
from ralph.proof.experiment import BASE, Experiment, Variant, remembered
from ralph.proof.experiments import overlay
from ralph.proof.experiments.again import flaky
from ralph.proof.hollowed import only_missed
from ralph.proof.paths import is_test
from ralph.proof.red import FIRST, GRACE, RED
from ralph.proof.runners.reporting import told_all
from ralph.proof.suite import FEW
from ralph.proof.twisted import Source, can_twist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.task import Command
    from ralph.domain.tests import TestResult
    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

TESTS_ALONE = "red-2"
EVERY = "red-all"
PATIENCE = 3
"""Seconds that tests have in any case where the source does less than they ask for."""


class RedGreen(Experiment):
    name = "red and green"
    what = (
        "The new and changed tests are laid over the base. Those that fail there and pass on the "
        "candidate show the work. If they fail on both and their neighbours pass, the work is not "
        "done, and goes back at once. Only for features and fixes."
    )
    setting = "verification.red_green"
    trials: ClassVar = {
        RED: "The new and changed tests without the work: those that show it have to fail."
    }

    def wants(self, subject: Subject) -> bool:
        return subject.settings.red_green and subject.produces

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        like = told_by(subject, known)
        if like is None or like.report is None or not subject.guarded:
            return
        if RED not in known:
            yield from _first(subject, known, like)
            return
        red = known.trials[RED].report
        # what runs the tests may have changed with the source, and not work without it
        tests = tuple(filter(is_test, subject.guarded))
        if red is None and tests and tests != subject.guarded:
            yield _on_base(subject, known, TESTS_ALONE, tests, subject.suite.side(known.head))
        elif red is not None and known.memo(RED) and not red.red:
            # data that was changed may show the work in tests that were there before
            yield _on_base(subject, known, EVERY, subject.guarded, subject.suite.side(known.head))

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        if known.head.report is not None and not shown(subject, known):
            yield Fact(
                FactKind.NO_RED_TEST, "No test fails without this change and passes with it."
            )
            yield from about_new_tests(known.base, known.head, partial(_skips, subject))


def _first(subject: Subject, known: Known, like: Trial) -> Iterator[Variant]:
    """The tests that the change is known to add or to change; else those that only it has."""
    suite, report = subject.suite, like.report or EMPTY
    side = suite.side(like)
    few = suite.only(side, suite.mine(report), report)
    if few != side:
        yield _on_base(subject, known, RED, subject.guarded, few)
    elif like is known.head:  # now it is known what they are called
        new = compare(known.base, like).having(TestChange.NEW_GREEN) if known.base else ()
        named = suite.naming(side, new, report) if 0 < len(new) <= FEW else side
        yield _on_base(subject, known, RED, subject.guarded, named, only_new=named != side)


def _on_base(
    subject: Subject,
    known: Known,
    name: str,
    tests: tuple[str, ...],
    commands: tuple[Command, ...],
    *,
    only_new: bool = False,
) -> Variant:
    return Variant(
        name,
        subject.base,
        commands,
        source=subject.commit,
        paths=tests,
        changed=tests,
        seconds=patience(known),  # without the work a new test may never end
        until=told_all,
        grace=GRACE,
        memo=only_new,
    )


def told_by(subject: Subject, known: Known) -> Trial | None:
    """The trial that tells which of the checks report single tests, and where these are.

    Before the change was tried the base's will do, if the change leaves alone how tests are found.
    """
    if known.head.report is not None:
        return known.head
    base = known.get(BASE)
    told = base is not None and base.report is not None
    return base if base and told and subject.suite.finds_as_before(base.report) else None


def patience(known: Known) -> float:
    """Seconds for tests of source that may never answer: twice what all tests take with it."""
    tried = known.get(BASE) or known.head
    return PATIENCE + 2 * sum(one.seconds for one in tried.results)


def red_trial(known: Known) -> Trial | None:
    """The new tests without the work."""
    return known.get(EVERY) or known.get(TESTS_ALONE) or known.get(RED)


@remembered
def shown(subject: Subject, known: Known) -> tuple[str, ...]:
    """The tests that are red without the change and green with it."""
    over, red = overlay.result(subject, known), red_trial(known)
    found = shown_by(known.base, known.head, over, red) - set(flaky(subject, known))
    first = known.get(FIRST)
    # red alone with the change as well, so for other reasons
    unfit = {one.id for one in ((first.report if first else None) or EMPTY).red}
    return tuple(sorted(name for name in found - unfit if _shows(subject, known, name)))


def _shows(subject: Subject, known: Known, test: str) -> bool:
    """A test that looks at nothing, and failed for a missing name alone, shows nothing.

    Nor does one that passed on the base and is as it was, where its file could not be loaded: it
    never ran, for the sake of others.
    """
    path = known.now.by_id[test].file if test in known.now.by_id else ""
    red = red_trial(known)
    told = red.report if red is not None else None
    if told is not None and test not in told.by_id and _is_as_it_was(subject, known, test, path):
        return False
    return asserts(test, path, subject.after(path)) or not only_missed(red, (test,))


def _is_as_it_was(subject: Subject, known: Known, test: str, path: str) -> bool:
    before = known.before.by_id.get(test)
    was = source_of(test, path, subject.before(path))
    same = bool(was) and was == source_of(test, path, subject.after(path))
    return same and before is not None and before.outcome.is_green


def _skips(subject: Subject, result: TestResult) -> bool:
    """Whether a test is never run: it says so itself, or there is nothing to run it with."""
    text = subject.after(result.file)
    return "empty parameter set" in result.message or skips_itself(result.id, result.file, text)


@remembered
def showing(subject: Subject, known: Known) -> tuple[Source, ...]:
    """The files of the tests that may show the work: changed ones, and those that were red."""
    red = known.before.red
    changes = subject.candidate.files
    there = sorted(c.path for c in changes if c.status != "D" and c.path in subject.guarded)
    found: list[Source] = []
    for path in dict.fromkeys((*there, *(one.file for one in red))):
        text = subject.after(path) if can_twist(path) else ""
        if text:
            were_red = tuple(one for one in red if one.file == path)
            found.append(Source(path, text, subject.before(path), were_red))
    return tuple(found)
