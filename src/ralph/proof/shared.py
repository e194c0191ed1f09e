"""Two trials of the candidate in one run: starting a runner is most of what a small trial takes.

The change's own tests are run before all else, and once more beside the canary: the same tests of
the same source, there with files that nothing else reads. So where both can be told which tests to
run, they are run once, and what came of the files that were added is no part of the first.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.proof.experiment import BASE, Shared
from ralph.proof.experiments import canary
from ralph.proof.red import FIRST, shows_red
from ralph.proof.runners.words import NAMED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ralph.domain.tests import TestReport
    from ralph.domain.trial import Trial
    from ralph.proof.experiment import Known, Variant
    from ralph.proof.subject import Subject


def together(subject: Subject, known: Known, variants: Iterable[Variant]) -> Iterator[Variant]:
    """The same, in the same order; two that can be tried in one run are one."""
    held: dict[str, Variant] = {}
    for one in variants:
        if held or one.name == FIRST:
            held[one.name] = one
        else:
            yield one
    both = _both(subject, known, held.get(FIRST), held.get(canary.NAME))
    if both is not None:
        yield both
        held = {name: one for name, one in held.items() if name not in (FIRST, canary.NAME)}
    yield from held.values()


def told_apart(
    asked: Mapping[str, Variant], trials: Mapping[str, Trial]
) -> tuple[dict[str, Variant], dict[str, Trial]]:
    """All that was asked and what came of it, each under its own name."""
    every, results = dict(asked), dict(trials)
    for name, one in asked.items():
        if one.shared is not None:
            other = one.shared.variant
            every[other.name] = other
            if name in trials:
                results[other.name] = _without(trials[name], one.shared.aside)
    return every, results


def _both(
    subject: Subject, known: Known, first: Variant | None, second: Variant | None
) -> Variant | None:
    base = known.get(BASE)
    if first is None or second is None or base is None or base.report is None:
        return None
    aside = frozenset(second.write) | (_files(second) - _files(first))
    tests = dict.fromkeys((*first.tests, *second.tests))
    if not first.tests or not second.tests or subject.suite.listing & second.write.keys():
        return None  # all tests are run, or what these tests read is another
    if not _can_be_told(tests):
        return None
    side = subject.suite.side(base)
    commands = subject.suite.only(side, tests, base.report)
    if commands == side:
        return None
    ends = first.until and partial(_shows_red, subject, known, aside, first.until)
    return replace(
        second,
        commands=commands,
        until=ends,
        grace=first.grace,
        shared=Shared(first, aside),
    )


def _can_be_told(tests: Iterable[str]) -> bool:
    """Whether names among these do not keep the tests of whole files from running."""
    scripts = [one for one in tests if not one.partition(NAMED)[0].endswith(".py")]
    return len({NAMED in one for one in scripts}) < 2  # noqa: PLR2004 - all of them, or none


def _shows_red(
    subject: Subject,
    known: Known,
    aside: frozenset[str],
    until: Callable[[TestReport], bool],
    report: TestReport,
) -> bool:
    """Whether nothing more needs to be known: the change itself is red.

    What is not its own comes last, so what there is to know is told when it has begun.
    """
    own = _left(report, aside)
    begun = len(own.results) < len(report.results)
    return (begun or until(report)) and shows_red(subject, known, own)


def _files(variant: Variant) -> frozenset[str]:
    return frozenset(one.partition(NAMED)[0] for one in variant.tests)


def _without(trial: Trial, aside: frozenset[str]) -> Trial:
    return replace(trial, reports=tuple(one and _left(one, aside) for one in trial.reports))


def _left(report: TestReport, aside: frozenset[str]) -> TestReport:
    return replace(report, results=tuple(one for one in report.results if one.file not in aside))
