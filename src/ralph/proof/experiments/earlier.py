"""The regression pack: what proved finished tasks still has to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ralph.domain.evidence import Fact, FactKind
from ralph.proof.experiment import Experiment, Variant, remembered
from ralph.proof.experiments.again import is_green

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.task import Command, Task
    from ralph.proof.experiment import Known
    from ralph.proof.subject import Subject

PACK = 20
"""Finished tasks whose checks are run again, the newest."""


class Earlier(Experiment):
    name = "regression pack"
    what = (
        "The own checks of the last 20 finished tasks are run again. One that passed before and "
        "fails now is named, and its task is reopened."
    )
    setting = "verification.regression_pack"
    trials: ClassVar = {"pack": "The own check of a task that was finished before: it has to pass."}

    def wants(self, subject: Subject) -> bool:
        return subject.settings.regression_pack

    def variants(self, subject: Subject, known: Known) -> Iterator[Variant]:
        if not is_green(subject, known):
            return
        for task, commands in _pack(subject):
            name = f"pack-{task}"
            yield Variant(name, subject.commit, commands)
            if name in known and not known.trials[name].passed:
                yield Variant(f"{name}-base", subject.base, commands)

    def facts(self, subject: Subject, known: Known) -> Iterator[Fact]:
        for task in broken(subject, known):
            text = f"{task} was finished, and its check fails now."
            yield Fact(FactKind.BROKE_EARLIER, text)


@remembered
def broken(subject: Subject, known: Known) -> tuple[str, ...]:
    """Tasks that were finished before and whose checks fail now, and did not before."""
    if not subject.settings.regression_pack:
        return ()
    return tuple(
        task
        for task, _ in _pack(subject)
        if (base := known.get(f"pack-{task}-base")) is not None and base.passed
    )


def _pack(subject: Subject) -> Iterator[tuple[str, tuple[Command, ...]]]:
    done = [task for task in subject.plan.tasks if task.is_done and _own(task)]
    for task in done[-PACK:]:
        commands = tuple(one for one in _own(task) if one not in subject.commands)
        if commands:
            yield task.id, commands


def _own(task: Task) -> tuple[Command, ...]:
    return (*task.verify, *(one.command for one in task.bound if one.command))
