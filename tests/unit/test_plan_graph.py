from __future__ import annotations

from itertools import pairwise

import pytest

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan, check_graph
from ralph.domain.task import Status, Task


def _plan(*tasks: Task) -> Plan:
    return Plan("p", tasks, source="PRD.json")


def test_a_circle_is_named_in_the_direction_of_the_dependencies() -> None:
    plan = _plan(
        Task("a", "A", depends_on=("b",)),
        Task("b", "B", depends_on=("c",)),
        Task("c", "C", depends_on=("a",)),
    )
    with pytest.raises(PlanError) as caught:
        check_graph(plan)
    circle = caught.value.what.split(": ")[-1].rstrip(".").split(" → ")
    assert circle[0] == circle[-1]
    assert set(pairwise(circle)) == {("a", "b"), ("b", "c"), ("c", "a")}


def test_tasks_that_are_each_others_parents() -> None:
    with pytest.raises(PlanError, match="each other's parents"):
        check_graph(_plan(Task("a", "A", parent="b"), Task("b", "B", parent="a")))


def test_a_task_that_waits_for_the_container_it_is_in() -> None:
    inside = Task("leaf", "L", parent="box", depends_on=("box",))
    with pytest.raises(PlanError, match="depend on each other"):
        check_graph(_plan(Task("box", "B"), inside))


def test_a_container_that_waits_for_its_own_task() -> None:
    box = Task("box", "B", depends_on=("leaf",))
    with pytest.raises(PlanError, match="depend on each other"):
        check_graph(_plan(box, Task("leaf", "L", parent="box")))


def test_containers_that_wait_for_each_others_tasks() -> None:
    plan = _plan(
        Task("one", "1", depends_on=("two",)),
        Task("a", "A", parent="one"),
        Task("two", "2"),
        Task("b", "B", parent="two", depends_on=("a",)),
    )
    with pytest.raises(PlanError, match="depend on each other"):
        check_graph(plan)


def test_containers_in_a_row_are_fine() -> None:
    check_graph(
        _plan(
            Task("one", "1"),
            Task("a", "A", parent="one"),
            Task("two", "2", depends_on=("one",)),
            Task("b", "B", parent="two", depends_on=("a",)),
        )
    )


def test_a_part_knows_the_whole_and_follows_its_statuses() -> None:
    plan = _plan(
        Task("box", "B"), Task("leaf", "L", parent="box", depends_on=("x",)), Task("x", "X")
    )
    part = plan.under("box")
    assert list(part.by_id) == ["leaf"]
    check_graph(part)
    marked = part.with_statuses({"x": Status.COMPLETED})
    assert marked.whole is not None
    assert marked.whole.by_id["x"].is_done


def test_a_part_without_tasks_is_refused() -> None:
    with pytest.raises(PlanError, match="no task has a as its parent"):
        _plan(Task("a", "A")).under("a")
