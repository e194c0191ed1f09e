"""What makes a task unfit for an agent that knows nothing else."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.plan import what_waits
from ralph.domain.task import Status
from ralph.policy.circles import circles
from ralph.policy.wording import unbounded_words, vague_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.plan import Plan
    from ralph.domain.task import Task

MOST_CRITERIA = 10
LONGEST_DESCRIPTION = 6000
FEWEST_WORDS = 8
"""In description and criteria together: less than a sentence tells a fresh agent nothing."""


class LintSeverity(StrEnum):
    ERROR = "error"
    """The task cannot be run or proven."""
    WARNING = "warning"
    """The task will probably go wrong."""


class LintFinding(Struct, frozen=True):
    task: str
    problem: str
    fix: str
    severity: LintSeverity = LintSeverity.ERROR


def lint(plan: Plan, *, has_project_checks: bool) -> tuple[LintFinding, ...]:
    """All findings: the graph's first, then the tasks' in the order of the plan."""
    found = [*_graph(plan), *_doubled_titles(plan)]
    for task in plan.leaves():
        if task.status not in (Status.COMPLETED, Status.SKIPPED):
            found += _proof(task, has_project_checks=has_project_checks)
            found += _wording(task)
            found += _size(task)
    return tuple(found)


def _proof(task: Task, *, has_project_checks: bool) -> Iterator[LintFinding]:
    if not any(criterion.strip() for criterion in task.criteria):
        yield LintFinding(
            task.id, "has no acceptance criteria", "Say what must be true when it is done."
        )
    if not task.verify and not has_project_checks:
        yield LintFinding(
            task.id,
            "has no verification, and the project has none either",
            "Add `verify` to the task or commands to ralph.yaml.",
        )


def _wording(task: Task) -> Iterator[LintFinding]:
    for place, criterion in enumerate(task.criteria, 1):
        words = vague_words(criterion)
        if words:
            yield LintFinding(
                task.id,
                f"criterion {place} cannot be checked: {_quoted(words)}",
                "Name what can be seen or measured: a value, an output, a limit.",
                LintSeverity.WARNING,
            )
    words = unbounded_words("\n".join((task.title, task.description, *task.criteria)))
    if words:
        yield LintFinding(
            task.id,
            f"is open-ended: {_quoted(words)}",
            "Name the files, commands or cases you mean.",
            LintSeverity.WARNING,
        )


def _size(task: Task) -> Iterator[LintFinding]:
    words = len(task.description.split()) + sum(len(c.split()) for c in task.criteria)
    if words < FEWEST_WORDS:
        yield LintFinding(
            task.id,
            "says too little: an agent knows only what the task says",
            "Describe what to build and where.",
            LintSeverity.WARNING,
        )
    elif task.description and task.description.strip().casefold() == task.title.casefold():
        yield LintFinding(
            task.id,
            "has a description that only repeats the title",
            "Describe what to build and where.",
            LintSeverity.WARNING,
        )
    if len(task.criteria) > MOST_CRITERIA or len(task.description) > LONGEST_DESCRIPTION:
        yield LintFinding(
            task.id,
            f"is too big for one iteration: {len(task.criteria)} criteria, "
            f"{len(task.description)} characters of description",
            "Split it into tasks that depend on each other.",
            LintSeverity.WARNING,
        )


def _quoted(words: tuple[str, ...]) -> str:
    return ", ".join(f"“{word}”" for word in words)


def _doubled_titles(plan: Plan) -> Iterator[LintFinding]:
    first: dict[str, Task] = {}
    for task in plan.tasks:
        known = first.setdefault(" ".join(task.title.split()).casefold(), task)
        if known.id != task.id and known.parent == task.parent:
            yield LintFinding(
                task.id,
                f"has the same title as {known.id}",
                "Say in the title what sets them apart, or remove one.",
                LintSeverity.WARNING,
            )


def _graph(plan: Plan) -> Iterator[LintFinding]:
    whole = plan.whole or plan
    seen: set[str] = set()
    for task in whole.tasks:
        if task.id in seen:
            yield LintFinding(task.id, "has an id that is used twice", "Rename one of them.")
        seen.add(task.id)
        yield from _links(task, whole)
    for circle in circles(what_waits(whole)):
        names = list(dict.fromkeys(name.rstrip("\n") for name in circle))
        yield LintFinding(
            names[0],
            f"is in a cycle of tasks that wait for each other: {', '.join(names)}",
            "Remove one of these links.",
        )


def _links(task: Task, plan: Plan) -> Iterator[LintFinding]:
    for name in task.depends_on:
        other = plan.by_id.get(name)
        if other is None:
            yield LintFinding(
                task.id,
                f"depends on {name}, which does not exist",
                f"Add {name} or remove it from the dependencies.",
            )
        elif other.status is Status.SKIPPED and task.is_open:
            yield LintFinding(
                task.id,
                f"depends on {name}, which is skipped, so it will never be ready",
                f"Skip it too, reopen {name} or remove the dependency.",
                LintSeverity.WARNING,
            )
    if task.parent and task.parent not in plan.by_id:
        yield LintFinding(
            task.id,
            f"names the parent {task.parent}, which does not exist",
            f"Add {task.parent} or remove it.",
        )
