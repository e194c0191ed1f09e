"""Which part of a task tree is worked on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import PlanError
from ralph.domain.plan import check_graph
from ralph.policy.select import ready

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.domain.task import Task

_SHOWN = 8


def read_parent(root: Path, file: str) -> str | None:
    """The task whose descendants are worked on, or None for the whole plan."""
    data = files.read(root / file)
    return (data or b"").decode("utf-8-sig", "replace").strip() or None


def below_parent(root: Path, file: str, plan: Plan) -> Plan:
    """The part of the plan that is worked on: what lies below the bound task, if one is bound."""
    parent = read_parent(root, file)
    if parent and any(task.parent for task in plan.tasks):
        return plan.under(parent)
    return plan


def bind(
    root: Path, file: str, plan: Plan, parent: str | None = None, search: str | None = None
) -> Task:
    """Work on the tasks below one task from now on: named by id, or by a part of its title."""
    check_graph(plan)
    task = _by_id(plan, parent) if parent else _by_title(plan, search or "")
    if not ready(plan.under(task.id)):
        raise PlanError(
            f"{plan.source}: no task below {task.id} can be started.",
            fix="See `ralph status` for what each of them waits for.",
        )
    files.write(root / file, f"{task.id}\n")
    return task


def _by_id(plan: Plan, name: str) -> Task:
    task = plan.by_id.get(name)
    if task is None:
        raise PlanError(f"{plan.source}: no task has the id {name!r}.", fix=_offer(plan.tasks))
    return task


def _by_title(plan: Plan, term: str) -> Task:
    """Containers first: a term that names one of them and its tasks means the container."""
    if not term.strip():
        raise PlanError("Give the parent's id or a search term.")
    found = [task for task in plan.tasks if term.casefold() in task.title.casefold()]
    containers = {task.parent for task in plan.tasks if task.parent}
    named = [task for task in found if task.id in containers]
    if len(named) == 1:
        return named[0]
    if not found:
        raise PlanError(f"{plan.source}: no title contains {term!r}.", fix=_offer(plan.tasks))
    if len(named or found) > 1:
        raise PlanError(
            f"{plan.source}: {len(named or found)} titles contain {term!r}.",
            fix=_offer(tuple(named or found)),
        )
    return found[0]


def _offer(tasks: tuple[Task, ...]) -> str:
    names = "; ".join(f"{task.id} ({task.title[:40]})" for task in tasks[:_SHOWN])
    more = f"; and {len(tasks) - _SHOWN} more" if len(tasks) > _SHOWN else ""
    return f"Name one of: {names}{more}."
