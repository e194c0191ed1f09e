"""Tests that turned red are tried again: one that comes and goes is set aside, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.compare import held_against, listed
from ralph.proof.experiment import HEAD, Experiment, remembered
from ralph.proof.experiments import overlay
from ralph.proof.red import turning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.trial import Trial
    from ralph.proof.compare import Held
    from ralph.proof.experiment import Known, Variant
    from ralph.proof.subject import Subject


class Reruns(Experiment):
    name = "again"
    what = (
        "If at most three tests turned red, they are run again, first alone, then with the "
        "others. A test that both passed and failed on the same tree is set aside and named."
    )
    setting = "verification.reruns"

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        for trial, whole in _suspects(subject, known):
            _, wanted = turning(subject, known, trial, whole)
            if wanted is not None:
                yield wanted

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        return told_flaky(subject, known)


@remembered
def flaky(subject: Subject, known: Known) -> tuple[str, ...]:
    """The tests that were both red and green on the same tree."""
    found = set[str]()
    for trial, whole in _suspects(subject, known):
        found |= turning(subject, known, trial, whole)[0]
    return tuple(sorted(found))


def told_flaky(subject: Subject, known: Known) -> Iterator[Fact]:
    if names := flaky(subject, known):
        text = f"Flaky, so set aside: {listed(names)}."
        yield Fact(FactKind.FLAKY, text, tests=names)


def _suspects(subject: Subject, known: Known) -> Iterator[tuple[Trial, Variant]]:
    """What was tried with all tests, and how."""
    if HEAD not in known:
        return
    yield known.head, subject.head_variant
    over = overlay.result(subject, known)
    if over is not None and over is not known.head:
        yield over, overlay.laid_over(subject, overlay.NAME, subject.commands)


@remembered
def is_green(subject: Subject, known: Known) -> bool:
    """Whether the checks pass, if what was red before and what is flaky does not count."""
    return HEAD in known and held(subject, known).passed


@remembered
def held(subject: Subject, known: Known) -> Held:
    """What is held against the candidate when its own checks are run."""
    return held_against(known.base, known.head, flaky(subject, known))
