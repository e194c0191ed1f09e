from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan, TaskOrder
from ralph.domain.task import Status, Task
from ralph.policy.select import ready, select, waiting

DONE = Status.COMPLETED


def _plan(*tasks: Task, order: TaskOrder = TaskOrder.FILE) -> Plan:
    return Plan("p", tasks, order=order)


def _chosen(task: Task | None) -> str | None:
    return task.id if task else None


def test_the_first_open_task_in_the_file_whose_dependencies_are_done() -> None:
    plan = _plan(
        Task("a", "A", status=DONE),
        Task("b", "B", status=Status.SKIPPED),
        Task("c", "C", depends_on=("b",)),
        Task("d", "D", depends_on=("a",)),
        Task("e", "E"),
    )
    assert _chosen(select(plan)) == "d"


def test_priority_comes_first_then_the_file() -> None:
    plan = _plan(
        Task("a", "A"),
        Task("b", "B", priority=2),
        Task("c", "C", priority=1),
        Task("d", "D", priority=1),
    )
    assert [task.id for task in ready(plan)] == ["c", "d", "b", "a"]
    assert _chosen(select(plan)) == "c"
    assert _chosen(select(plan, parked={"c", "d"})) == "b"


def test_a_tree_prefers_the_area_then_age_then_id() -> None:
    plan = _plan(
        Task("c", "C", created_at="2026-02", labels=("area=ui",)),
        Task("b", "B", created_at="2026-01"),
        Task("a", "A", created_at="2026-01"),
        order=TaskOrder.CREATED,
    )
    assert _chosen(select(plan)) == "a"
    assert _chosen(select(plan, area="ui")) == "c"
    assert _chosen(select(plan, area="db")) == "a"


def test_work_in_progress_is_taken_up_again_and_other_statuses_are_not() -> None:
    for status in (Status.BLOCKED, Status.FAILED, Status.SKIPPED, DONE):
        assert select(_plan(Task("a", "A", status=status))) is None
    assert _chosen(select(_plan(Task("a", "A", status=Status.IN_PROGRESS)))) == "a"


def test_nothing_behind_a_parked_task_is_started() -> None:
    plan = _plan(Task("a", "A"), Task("b", "B", depends_on=("a",)), Task("c", "C"))
    assert _chosen(select(plan, parked={"a"})) == "c"
    assert select(plan, parked={"a", "c"}) is None


def _tree() -> Plan:
    return _plan(
        Task("one", "1", status=DONE),
        Task("a", "A", parent="one", status=DONE),
        Task("b", "B", parent="one"),
        Task("two", "2", depends_on=("one",)),
        Task("c", "C", parent="two"),
    )


def test_a_container_is_done_when_its_tasks_are_whatever_it_says_itself() -> None:
    plan = _tree()
    assert [task.id for task in ready(plan)] == ["b"]
    assert [task.id for task in ready(plan.with_statuses({"b": DONE}))] == ["c"]
    assert ready(plan.with_statuses({"b": Status.SKIPPED})) == ()


def test_nothing_in_a_skipped_or_parked_container_is_started() -> None:
    plan = _tree().with_statuses({"b": DONE})
    assert ready(plan.with_statuses({"two": Status.SKIPPED})) == ()
    assert ready(plan, {"two"}) == ()


def test_dependencies_outside_the_part_still_count() -> None:
    plan = _tree()
    assert select(plan.under("two")) is None
    assert _chosen(select(plan.with_statuses({"b": DONE}).under("two"))) == "c"
    assert _chosen(select(plan.under("two").with_statuses({"b": DONE}))) == "c"


def test_only_the_task_that_was_asked_for() -> None:
    plan = _tree()
    assert _chosen(select(plan, only="b")) == "b"
    assert select(plan, only="c") is None
    assert select(plan, only="a") is None
    assert _chosen(select(plan, only="one")) == "b"
    with pytest.raises(PlanError, match="'zzz'"):
        select(plan, only="zzz")


def test_why_tasks_wait() -> None:
    plan = _plan(
        Task("a", "A", status=Status.SKIPPED),
        Task("b", "B", status=Status.BLOCKED),
        Task("c", "C", depends_on=("a", "b")),
        Task("d", "D", depends_on=("e",)),
        Task("e", "E"),
        Task("f", "F", depends_on=("d",)),
        Task("g", "G"),
    )
    found = {one.task.id: (one.why, one.on) for one in waiting(plan, {"e"})}
    assert found == {
        "c": ("depends on a, which is skipped; depends on b, which is blocked", ("a", "b")),
        "d": ("depends on e, which is parked", ("e",)),
        "e": ("is parked until a person answers", ()),
        "f": ("depends on d, which is not done", ("d",)),
    }


def test_why_tasks_in_a_container_wait() -> None:
    plan = _tree().with_statuses({"two": Status.BLOCKED})
    (one,) = waiting(plan)
    assert one.task.id == "c"
    assert one.why == "its parent two is blocked; its parent two depends on one, which is not done"
    assert one.on == ("two", "one")


_statuses = st.sampled_from(list(Status))


@st.composite
def _plans(draw: st.DrawFn) -> Plan:
    """Flat or nested, every dependency on an earlier task that is not a container of it."""
    tasks: list[Task] = []
    for number in range(draw(st.integers(0, 9))):
        earlier = [task.id for task in tasks]
        parent = draw(st.sampled_from([None, None, *earlier]))
        above = set()
        step = parent
        while step:
            above.add(step)
            step = next(task.parent for task in tasks if task.id == step)
        free = [name for name in earlier if name not in above]
        depends = draw(st.lists(st.sampled_from(free), unique=True, max_size=3)) if free else []
        priority = draw(st.sampled_from([None, 1, 2]))
        tasks.append(
            Task(
                f"t{number}",
                "T",
                status=draw(_statuses),
                depends_on=tuple(depends),
                parent=parent,
                priority=priority,
                created_at=draw(st.sampled_from(["", "1", "2"])),
            )
        )
    return Plan("p", tuple(tasks), order=draw(st.sampled_from(list(TaskOrder))))


@given(_plans(), st.sets(st.sampled_from([f"t{n}" for n in range(9)])))
def test_every_open_leaf_is_either_ready_or_waits_for_a_reason(
    plan: Plan, parked: set[str]
) -> None:
    now = [task.id for task in ready(plan, parked)]
    later = [one.task.id for one in waiting(plan, parked)]
    assert sorted(now + later) == sorted(task.id for task in plan.leaves() if task.is_open)
    assert all(one.why for one in waiting(plan, parked))
    assert _chosen(select(plan, parked=parked)) == (now[0] if now else None)
    for name in now:
        assert all(_done(plan, other) for other in plan.by_id[name].depends_on)


def _done(plan: Plan, name: str) -> bool:
    below = [task.id for task in plan.tasks if task.parent == name]
    return all(_done(plan, child) for child in below) if below else plan.by_id[name].is_done
