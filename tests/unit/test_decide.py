from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.histories import TASKS, histories

from ralph.domain.decision import Action, StopReason
from ralph.domain.errors import PlanError
from ralph.domain.plan import FINAL, Plan
from ralph.domain.question import Question, QuestionKind
from ralph.domain.settings import LoopSettings
from ralph.domain.state import OpenQuestion, RunInfo, RunState, TaskState
from ralph.domain.task import Status, Task
from ralph.domain.usage import Usage
from ralph.policy.decide import NO_CHANGE, UNCHANGED, Scene, decide
from ralph.policy.select import parked, ready
from ralph.views.fold import fold

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.domain.event import Recorded

SETTINGS = LoopSettings()


def plan_of(*statuses: Status, **more: Task) -> Plan:
    tasks = [
        Task(name, f"Task {name}", status=s) for name, s in zip("ABCDE", statuses, strict=False)
    ]
    return Plan("Plan", (*tasks, *more.values()))


def scene_of(plan: Plan, **more: object) -> Scene:
    base = Scene(plan, now=100.0, jitter=0.5, asks=False)
    return replace(base, **more)


def state_of(**more: object) -> RunState:
    """A run that started at 0 and did one iteration of A."""
    run = RunInfo(id="r", branch="b", iterations=1, started_at=0.0)
    state = RunState(run=run, iteration=1, last_task="A", last_why="why", last_outcome="failed")
    for name, value in more.items():
        holder = run if hasattr(run, name) else state
        setattr(holder, name, value)
    return state


def ask(state: RunState, task: str, kind: QuestionKind = QuestionKind.STUCK) -> RunState:
    name = f"Q{len(state.questions) + 1}"
    state.questions[name] = OpenQuestion(Question(name, task, kind, "What now?"), 1.0)
    state.task(task).question = name
    state.question_count += 1
    return state


OPEN = plan_of(Status.OPEN, Status.OPEN)
DONE = plan_of(Status.COMPLETED, Status.SKIPPED)


def verdict(state: RunState, plan: Plan = OPEN, **more: object) -> Decision:
    return decide(state, scene_of(plan, **more), SETTINGS)


# What must hold for every history and every plan

plans = st.lists(st.sampled_from(Status), min_size=1, max_size=3).flatmap(
    lambda statuses: st.lists(st.booleans(), min_size=3, max_size=3).map(
        lambda links: Plan(
            "Plan",
            tuple(
                Task(
                    name,
                    name,
                    status=status,
                    depends_on=(TASKS[number - 1],) if number and links[number] else (),
                )
                for number, (name, status) in enumerate(zip(TASKS, statuses, strict=False))
            ),
        )
    )
)
scenes = st.builds(
    Scene,
    plan=plans,
    now=st.floats(0, 20_000),
    jitter=st.floats(0, 1),
    asks=st.booleans(),
    once=st.booleans(),
    aborts=st.booleans(),
)


def _decided(history: list[Recorded], scene: Scene, *, unasked: bool) -> tuple[RunState, Decision]:
    state = fold(history)
    if unasked:
        scene = replace(scene, unasked=frozenset(state.questions))
    return state, decide(state, scene, SETTINGS)


@given(histories, scenes, st.booleans())
def test_every_decision_says_why(history: list[Recorded], scene: Scene, unasked: bool) -> None:
    _, decision = _decided(history, scene, unasked=unasked)
    assert decision.why


@given(histories, scenes, st.booleans())
def test_nothing_goes_on_when_nothing_is_ready(
    history: list[Recorded], scene: Scene, unasked: bool
) -> None:
    state, decision = _decided(history, scene, unasked=unasked)
    if decision.action in (Action.CONTINUE, Action.RETRY, Action.WAIT):
        assert ready(scene.plan, parked(state))
        assert not state.run.stop


@given(histories, scenes, st.booleans())
def test_the_goal_is_reached_only_when_every_task_is_done_or_skipped(
    history: list[Recorded], scene: Scene, unasked: bool
) -> None:
    _, decision = _decided(history, scene, unasked=unasked)
    if decision.reason is StopReason.GOAL_ACHIEVED:
        assert all(task.status in FINAL for task in scene.plan.leaves())


@given(histories, scenes, st.booleans())
def test_a_decision_has_what_its_action_needs(
    history: list[Recorded], scene: Scene, unasked: bool
) -> None:
    state, decision = _decided(history, scene, unasked=unasked)
    assert (decision.reason is not None) == (decision.action is Action.STOP)
    assert (decision.seconds > 0) == (decision.action is Action.WAIT)
    if decision.question is not None:
        assert decision.action in (Action.ESCALATE, Action.PARK)
        assert decision.question.id not in state.questions
        assert scene.plan.by_id[decision.question.task].is_open


@given(histories, scenes)
def test_the_same_state_decides_the_same(history: list[Recorded], scene: Scene) -> None:
    assert decide(fold(history), scene, SETTINGS) == decide(fold(history), scene, SETTINGS)


# Going on


def test_a_new_run_continues_and_a_failure_is_retried() -> None:
    assert verdict(state_of(last_outcome="", last_why="")).action is Action.CONTINUE
    assert verdict(state_of(last_outcome="success")).action is Action.CONTINUE
    assert verdict(state_of()).action is Action.RETRY
    assert verdict(state_of(last_outcome="interrupted")).action is Action.RETRY


def test_back_off_follows_the_agents_own_failures_once() -> None:
    waits = verdict(state_of(agent_failures=2))
    assert (waits.action, waits.seconds) == (Action.WAIT, 3.0)
    assert verdict(state_of(agent_failures=2, backed_off=True)).action is Action.RETRY
    assert verdict(state_of(failures=2)).action is Action.RETRY
    cap = replace(SETTINGS, backoff_cap_seconds=0)
    assert decide(state_of(agent_failures=2), scene_of(OPEN), cap).action is Action.RETRY


# Stopping


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"stop": "ada"}, StopReason.EXPLICIT_STOP),
        ({"failures": 5}, StopReason.CONSECUTIVE_ERRORS),
        ({"usage": Usage(cost_usd=10.0)}, StopReason.BUDGET_EXHAUSTED),
        ({"iterations": 50}, StopReason.MAX_ITERATIONS),
        ({"started_at": 100.0 - 240 * 60}, StopReason.MAX_DURATION),
    ],
)
def test_each_limit_stops_the_run(facts: dict[str, object], reason: StopReason) -> None:
    decision = verdict(state_of(**facts))
    assert (decision.action, decision.reason) == (Action.STOP, reason)


def test_a_stop_comes_before_the_goal_and_the_goal_before_a_limit() -> None:
    assert verdict(state_of(stop="ada"), DONE).reason is StopReason.EXPLICIT_STOP
    assert verdict(state_of(iterations=50), DONE).reason is StopReason.GOAL_ACHIEVED


def test_waiting_is_not_run_time() -> None:
    long_ago = 100.0 - 300 * 60
    assert verdict(state_of(started_at=long_ago, waited=70 * 60.0)).action is Action.RETRY
    paused = state_of(started_at=long_ago, paused=True, paused_at=100.0 - 70 * 60)
    assert verdict(paused).action is Action.RETRY


def test_no_progress_counts_only_when_nothing_else_is_ready() -> None:
    assert verdict(state_of(since_completed=3)).action is Action.RETRY
    alone = verdict(state_of(since_completed=3), plan_of(Status.OPEN))
    assert alone.reason is StopReason.NO_PROGRESS


def test_many_parked_tasks_are_no_lack_of_progress() -> None:
    state = ask(ask(state_of(since_completed=9, last_outcome="blocked"), "A"), "B")
    assert verdict(state).reason is StopReason.WAITING_FOR_PERSON


def test_what_waits_is_named_with_its_reason() -> None:
    plan = Plan(
        "Plan",
        (Task("A", "A", status=Status.SKIPPED), Task("B", "B", depends_on=("A",)), Task("C", "C")),
    )
    decision = verdict(ask(state_of(last_outcome="blocked"), "C"), plan)
    assert decision.reason is StopReason.WAITING_FOR_PERSON
    assert "B depends on A, which is skipped" in decision.why
    assert "C is parked" in decision.why


def test_a_long_list_of_waiting_tasks_is_cut() -> None:
    first = Task("A", "A", status=Status.SKIPPED)
    rest = [Task(f"T{n}", "T", depends_on=("A",)) for n in range(20)]
    why = verdict(state_of(), Plan("Plan", (first, *rest))).why
    assert "and 17 more" in why
    assert len(why) < 300


def test_a_plan_with_blocked_tasks_is_not_the_goal() -> None:
    plan = plan_of(Status.COMPLETED, Status.BLOCKED)
    assert verdict(state_of(), plan).reason is StopReason.WAITING_FOR_PERSON


# --once and --task


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("success", StopReason.ONCE),
        ("blocked", StopReason.MAX_ITERATIONS),
        ("failed", StopReason.MAX_ITERATIONS),
    ],
)
def test_once_ends_after_one_iteration(outcome: str, reason: StopReason) -> None:
    assert verdict(state_of(last_outcome=outcome), once=True).reason is reason
    assert verdict(state_of(iterations=0), once=True).action is Action.RETRY


@pytest.mark.parametrize("outcome", ["blocked", "failed"])
def test_once_waits_for_a_person_where_its_iteration_ended_in_a_question(outcome: str) -> None:
    asked = ask(state_of(last_outcome=outcome), "A")
    assert verdict(asked, once=True).reason is StopReason.WAITING_FOR_PERSON


def test_a_task_that_was_skipped_is_all_that_was_asked_for() -> None:
    skipped = plan_of(Status.SKIPPED, Status.OPEN)
    assert verdict(state_of(), skipped, only="A").reason is StopReason.GOAL_ACHIEVED


def test_once_is_one_agent_also_if_it_could_not_work() -> None:
    failed = state_of(iterations=0, failures=1)
    assert verdict(failed, once=True).reason is StopReason.MAX_ITERATIONS


def test_one_task_is_the_whole_goal() -> None:
    half = plan_of(Status.COMPLETED, Status.OPEN)
    done = verdict(state_of(last_outcome="success"), half, only="A")
    assert (done.reason, done.why) == (StopReason.GOAL_ACHIEVED, "A is finished")
    assert verdict(state_of(), half, only="B").action is Action.RETRY


def test_one_task_that_cannot_start_says_why() -> None:
    plan = Plan("Plan", (Task("A", "A"), Task("B", "B", depends_on=("A",))))
    decision = verdict(state_of(), plan, only="B")
    assert decision.reason is StopReason.WAITING_FOR_PERSON
    assert "B depends on A" in decision.why


TREE = Plan(
    "Tree",
    (
        Task("F", "Feature"),
        Task("F1", "One", parent="F", status=Status.COMPLETED),
        Task("F2", "Two", parent="F"),
        Task("X", "Other"),
    ),
)


def test_a_task_with_tasks_below_it_stands_for_them() -> None:
    assert verdict(state_of(), TREE, only="F").action is Action.RETRY
    done = TREE.with_statuses({"F2": Status.COMPLETED})
    assert verdict(state_of(), done, only="F").reason is StopReason.GOAL_ACHIEVED
    assert verdict(ask(state_of(), "F2"), TREE, only="F").reason is StopReason.WAITING_FOR_PERSON


def test_a_task_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(PlanError, match="nope"):
        verdict(state_of(), TREE, only="nope")


# Asking


def stuck(**more: object) -> RunState:
    state = state_of()
    state.tasks["A"] = replace(TaskState(failures=3, signatures=["s"] * 3), **more)
    return state


def test_a_stuck_task_is_parked_or_asked_about() -> None:
    parks = verdict(stuck())
    assert (parks.action, parks.question and parks.question.kind) == (
        Action.PARK,
        QuestionKind.FAILED,
    )
    assert verdict(stuck(), asks=True).action is Action.ESCALATE


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({}, "the same failure 3 times in a row"),
        ({"signatures": ["a", "b", "c"]}, "3 failed attempts"),
        ({"failures": 2, "signatures": ["a", "b"], "trees": list("xyxy")}, "back at an earlier"),
    ],
)
def test_the_question_says_which_sign_was_seen(facts: dict[str, object], says: str) -> None:
    question = verdict(stuck(**facts)).question
    assert question is not None
    assert says in question.summary
    assert len(question.options) == 2


def test_an_agent_that_always_finds_it_done_may_be_right() -> None:
    question = verdict(stuck(signatures=[NO_CHANGE] * 3)).question
    assert question is not None
    assert question.kind is QuestionKind.ACCEPT
    mixed = verdict(stuck(signatures=[NO_CHANGE, UNCHANGED, NO_CHANGE])).question
    assert mixed is not None
    assert mixed.kind is QuestionKind.FAILED


def test_nobody_is_asked_about_a_task_that_a_person_finished_or_removed() -> None:
    assert verdict(stuck(), DONE).reason is StopReason.GOAL_ACHIEVED
    assert verdict(stuck(), Plan("Plan", (Task("Z", "Z"),))).question is None


def test_a_person_who_stops_is_not_asked_first() -> None:
    state = stuck()
    state.run.stop = "ada"
    assert verdict(state, asks=True).reason is StopReason.EXPLICIT_STOP


def test_a_new_question_is_asked_before_the_run_ends() -> None:
    state = ask(ask(state_of(last_outcome="blocked"), "A"), "B")
    assert verdict(state, asks=True, unasked=frozenset({"Q1", "Q2"})).action is Action.ESCALATE
    assert verdict(state, asks=True).reason is StopReason.WAITING_FOR_PERSON


def test_a_question_can_end_the_run() -> None:
    state = ask(state_of(last_outcome="blocked"), "A")
    ends = verdict(state, aborts=True, unasked=frozenset({"Q1"}))
    assert (ends.reason, "Q1" in ends.why) == (StopReason.WAITING_FOR_PERSON, True)
    assert verdict(state, aborts=True).action is Action.RETRY


def test_an_open_plan_edit_stops_nothing() -> None:
    state = ask(state_of(), "A", QuestionKind.PLAN_EDIT)
    state.tasks["A"].question = ""
    assert verdict(state).action is Action.RETRY


# Room on the disk

SCARCE = "only 0.4 GB is free on the disk of the repository (/r)"


def test_a_full_disk_is_waited_for_once() -> None:
    scene = scene_of(plan_of(Status.OPEN), scarce=SCARCE)
    found = decide(state_of(), scene, SETTINGS)
    assert (found.action, found.seconds, found.room) == (Action.WAIT, 360 * 60, True)
    assert found.why.startswith("Only 0.4 GB is free")
    again = decide(state_of(scarce=True), scene, SETTINGS)
    assert (again.action, again.reason) == (Action.STOP, StopReason.DISK_FULL)


def test_a_full_disk_does_not_keep_a_finished_plan_from_its_end() -> None:
    found = decide(state_of(), scene_of(plan_of(Status.COMPLETED), scarce=SCARCE), SETTINGS)
    assert found.reason is StopReason.GOAL_ACHIEVED
