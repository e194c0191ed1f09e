"""Checks that agents never see, laid over the candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.proof.experiment import Experiment, Variant
from ralph.proof.experiments.again import is_green

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.evidence import Fact
    from ralph.proof.experiment import Known
    from ralph.proof.held_out import HeldOutCheck
    from ralph.proof.subject import Subject


class HeldOut(Experiment):
    name = "held-out"
    what = (
        "[Checks that agents never see](../howto/criteria.md#held-out-checks) are laid over the "
        "candidate."
    )
    setting = "verification.held_out"

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if is_green(subject, known):
            for check in subject.held_out.for_task(subject.task):
                yield laid(subject, check, _name(check))

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        for check in subject.held_out.for_task(subject.task):
            if fact := check.fact(known.trials[_name(check)]):
                yield fact


def was_asked(known: Known) -> bool:
    """Whether such a check had a look at the candidate."""
    return any(name.startswith("held-out-") for name in known.trials)


def laid(subject: Subject, check: HeldOutCheck, name: str) -> Variant:
    return Variant(
        name,
        subject.commit,
        (check.command,),
        write=check.files,
        changed=subject.files,
        hidden=True,
    )


def _name(check: HeldOutCheck) -> str:
    return f"held-out-{check.name}"
