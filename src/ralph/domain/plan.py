from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.errors import PlanError
from ralph.domain.task import Status, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

FINAL = (Status.COMPLETED, Status.SKIPPED)


class TaskOrder(StrEnum):
    FILE = "file"
    """The order in the plan file (PRD.json, checklists)."""
    CREATED = "created"
    """By creation date, then id (task trees)."""


class Plan(Struct, frozen=True, dict=True):
    """The tasks and their graph, as the user's plan file has them."""

    title: str
    tasks: tuple[Task, ...]
    description: str = ""
    branch: str = ""
    """The branch the plan itself asks for; empty means `ralph/<slug of the title>`."""
    order: TaskOrder = TaskOrder.FILE
    source: str = "plan"
    """What to call it in messages: the file's name."""
    whole: Plan | None = None
    """The plan this one is a part of: tasks outside the part still count as dependencies."""

    @cached_property
    def by_id(self) -> Mapping[str, Task]:
        return {task.id: task for task in self.tasks}

    def leaves(self) -> tuple[Task, ...]:
        """Tasks without children: the only ones that run."""
        parents = {task.parent for task in self.tasks if task.parent}
        if not parents:
            return self.tasks
        return tuple(task for task in self.tasks if task.id not in parents)

    def under(self, parent: str) -> Plan:
        """The part of the plan below `parent`; what lies outside it stays known as `whole`."""
        if parent not in self.by_id:
            raise PlanError(f"{self.source}: no task has the id {parent!r}.")
        children: dict[str, list[Task]] = {}
        for task in self.tasks:
            if task.parent:
                children.setdefault(task.parent, []).append(task)
        inside: set[str] = set()
        queue = [parent]
        while queue:
            for child in children.get(queue.pop(), ()):
                if child.id not in inside:
                    inside.add(child.id)
                    queue.append(child.id)
        if not inside:
            raise PlanError(
                f"{self.source}: no task has {parent} as its parent.",
                fix="Name a task that has tasks below it.",
            )
        scope = tuple(task for task in self.tasks if task.id in inside)
        whole = self.whole or self
        return replace(self, title=self.by_id[parent].title, tasks=scope, whole=whole)

    def joined(self, branch: Plan, reopened: AbstractSet[str] = frozenset()) -> Plan:
        """This plan with what is finished or skipped on the branch and still open here.

        Of tasks that were `reopened` only the branch knows how they stand: here they may still
        be finished from before.
        """
        reached = {
            task.id: task.status
            for task in branch.tasks
            if task.id in self.by_id
            and (task.id in reopened or (task.status in FINAL and self.by_id[task.id].is_open))
        }
        return self.with_statuses(reached)

    def with_statuses(self, statuses: Mapping[str, Status]) -> Plan:
        if not statuses:
            return self
        tasks = tuple(
            replace(task, status=statuses[task.id]) if task.id in statuses else task
            for task in self.tasks
        )
        return replace(self, tasks=tasks, whole=self.whole and self.whole.with_statuses(statuses))


def what_waits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """For each step of the plan the steps that must come before it.

    A task is one step. A container is two: its start, which its own dependencies hold up and
    which holds up its children, and its end, which needs all children. A start is named by the
    id and a line break.
    """
    parents = {task.parent for task in plan.tasks if task.parent}
    if not parents:
        return {task.id: task.depends_on for task in plan.tasks}
    before: dict[str, tuple[str, ...]] = {}
    children: dict[str, list[str]] = {name: [] for name in parents}
    for task in plan.tasks:
        start = f"{task.id}\n" if task.id in parents else task.id
        above = (f"{task.parent}\n",) if task.parent else ()
        before[start] = task.depends_on + above
        if task.parent:
            children[task.parent].append(task.id)
    for name, below in children.items():
        before[name] = tuple(below)
    return before


def check_graph(plan: Plan) -> None:
    """Raise a PlanError naming the tasks if an id is doubled, a dependency missing or circular."""
    plan = plan.whole or plan
    if len(plan.by_id) != len(plan.tasks):
        seen: set[str] = set()
        doubled = next(t.id for t in plan.tasks if t.id in seen or seen.add(t.id))  # type: ignore[func-returns-value]
        raise PlanError(
            f"{plan.source}: the id {doubled} is used twice.", fix="Rename one of them."
        )
    for task in plan.tasks:
        for name in task.depends_on:
            if name not in plan.by_id:
                raise PlanError(
                    f"{plan.source}: {task.id} depends on {name}, which does not exist.",
                    fix=f"Add {name} or remove it from the dependencies of {task.id}.",
                )
        if task.parent and task.parent not in plan.by_id:
            raise PlanError(
                f"{plan.source}: {task.id} names the parent {task.parent}, which does not exist."
            )
    _refuse_cycle(
        plan, {t.id: (t.parent,) for t in plan.tasks if t.parent}, "are each other's parents"
    )
    _refuse_cycle(plan, what_waits(plan), "depend on each other")


def _refuse_cycle(plan: Plan, before: Mapping[str, Iterable[str]], how: str) -> None:
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        names = [name.rstrip("\n") for name in reversed(error.args[1])]
        circle = " → ".join(name for name, _ in groupby(names))
        raise PlanError(
            f"{plan.source}: these tasks {how}: {circle}.", fix="Remove one of these links."
        ) from error
