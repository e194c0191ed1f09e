"""Which task comes next, and why the others wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.plan import TaskOrder
from ralph.domain.task import Status, Task

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState

_OPEN = (Status.OPEN, Status.IN_PROGRESS)
_HOLDS_UP_ITS_CHILDREN = (Status.SKIPPED, Status.BLOCKED, Status.FAILED)


class Waiting(Struct, frozen=True):
    """A task that is not done and cannot be started now."""

    task: Task
    why: str
    on: tuple[str, ...] = ()
    """The tasks it waits for."""


def select(
    plan: Plan, *, parked: AbstractSet[str] = frozenset(), area: str = "", only: str | None = None
) -> Task | None:
    """The task to work on now; `area` is that of the task finished last, `only` the one asked for.

    `only` may name a container: then one of the tasks below it.
    """
    if only is not None:
        if only in plan.by_id and all(task.parent != only for task in plan.tasks):
            return next((task for task in ready(plan, parked) if task.id == only), None)
        plan = plan.under(only)
    found = startable(plan, parked)
    if plan.order is TaskOrder.CREATED:
        return min(found, key=lambda task: _by_creation(task, area), default=None)
    if all(task.priority is None for task in plan.tasks):
        return next(found, None)
    return min(found, key=_by_priority, default=None)


def wished(plan: Plan, state: RunState) -> dict[str, Status]:
    """What people asked for by `ralph skip` and `ralph retry` and the plan does not say yet."""
    return {
        name: Status.SKIPPED if known.skipped else Status.OPEN
        for name, known in state.tasks.items()
        if (known.skipped or known.reopen) and name in plan.by_id
    }


def reopened(state: RunState) -> frozenset[str]:
    """Tasks that were finished or skipped, and are open again on the branch."""
    return frozenset(name for name, known in state.tasks.items() if known.reopened)


def parked(state: RunState) -> frozenset[str]:
    """Tasks that wait for an answer."""
    return frozenset(
        opened.question.task for opened in state.questions.values() if opened.question.kind.parks
    )


def ready(plan: Plan, parked: AbstractSet[str] = frozenset()) -> tuple[Task, ...]:
    """All tasks that could be started now, in the order in which they would be."""
    found = startable(plan, parked)
    if plan.order is TaskOrder.CREATED:
        return tuple(sorted(found, key=lambda task: _by_creation(task, "")))
    return tuple(sorted(found, key=_by_priority))


def waiting(plan: Plan, parked: AbstractSet[str] = frozenset()) -> tuple[Waiting, ...]:
    """The open tasks that cannot be started now."""
    facts = _Facts(plan, parked)
    found = (_why(facts, task) for task in plan.leaves() if task.is_open)
    return tuple(one for one in found if one is not None)


def _by_priority(task: Task) -> tuple[bool, int]:
    return task.priority is None, task.priority or 0


def _by_creation(task: Task, area: str) -> tuple[bool, str, str]:
    return not (area and task.area == area), task.created_at, task.id


def startable(plan: Plan, parked: AbstractSet[str] = frozenset()) -> Iterator[Task]:
    """The tasks that could be started now, in no order, one by one: there may be thousands."""
    facts = _Facts(plan, parked)
    if facts.containers:
        return (task for task in plan.leaves() if task.is_open and facts.can_start(task))
    done = facts.done
    return (
        task
        for task in plan.tasks
        if task.status in _OPEN and done.issuperset(task.depends_on) and task.id not in parked
    )


class _Facts:
    """What is done, parked or held up, over the whole plan even if only a part is worked on."""

    def __init__(self, plan: Plan, parked: AbstractSet[str]) -> None:
        whole = plan.whole or plan
        self.by_id = whole.by_id
        self.parked = parked
        self.containers = {task.parent for task in whole.tasks if task.parent}
        self.done = {task.id for task in whole.tasks if task.status is Status.COMPLETED}
        """Tasks that are done and containers in which all tasks are."""
        if self.containers:
            self._judge_containers(whole)

    def _judge_containers(self, whole: Plan) -> None:
        undone: set[str] = set()
        for task in whole.tasks:
            if task.id not in self.containers and task.id not in self.done:
                self._leave_open(task.parent, undone)
        self.done = (self.done | self.containers) - undone

    def _leave_open(self, container: str | None, undone: set[str]) -> None:
        while container and container not in undone:
            undone.add(container)
            above = self.by_id.get(container)
            container = above.parent if above else None

    def can_start(self, task: Task) -> bool:
        return all(
            self.done.issuperset(step.depends_on)
            and step.id not in self.parked
            and (step is task or step.status not in _HOLDS_UP_ITS_CHILDREN)
            for step in self.with_containers(task)
        )

    def with_containers(self, task: Task) -> Iterator[Task]:
        """The task, its parent, and so on to the root."""
        step: Task | None = task
        while step is not None:
            yield step
            step = self.by_id.get(step.parent) if step.parent else None


def _why(facts: _Facts, task: Task) -> Waiting | None:
    reasons: list[str] = []
    names: list[str] = []
    for step in facts.with_containers(task):
        through = "" if step is task else f"its parent {step.id} "
        if step.id in facts.parked:
            reasons.append(f"{through}is parked until a person answers")
        if step is not task and step.status in _HOLDS_UP_ITS_CHILDREN:
            reasons.append(f"{through}is {step.status}")
            names.append(step.id)
        for name in step.depends_on:
            if name not in facts.done:
                reasons.append(f"{through}depends on {name}, which {_state(facts, name)}")
                names.append(name)
    return Waiting(task, "; ".join(reasons), tuple(names)) if reasons else None


def _state(facts: _Facts, name: str) -> str:
    task = facts.by_id.get(name)
    if task is None:
        return "does not exist"
    if name in facts.parked:
        return "is parked"
    if task.status in _HOLDS_UP_ITS_CHILDREN:
        return f"is {task.status}"
    return "is not done"
