"""What budgets allow, as a function of what was spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.domain.attended import AgentSpent, BudgetNoticed
from ralph.domain.budget import Budget, BudgetAction, BudgetContext, Scope
from ralph.domain.decision import Action, StopReason, exit_code
from ralph.domain.event import Escalated, IterationStarted, Recorded, RunStarted
from ralph.domain.plan import Plan
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.settings import BudgetSettings, LoopSettings, Settings
from ralph.domain.state import RunInfo, RunState
from ralph.domain.task import Task
from ralph.domain.usage import Usage
from ralph.policy.budget import (
    LEAST,
    budgets,
    check_budget,
    check_each,
    delay_of,
    left_to_spend,
    overspent,
)
from ralph.policy.decide import Scene, decide
from ralph.views.fold import apply, fold

if TYPE_CHECKING:
    from ralph.domain.event import Event

A = BudgetAction
DEFAULT = BudgetSettings()
THROTTLE = BudgetSettings(when_near=A.THROTTLE, throttle_seconds=1)
SOFT = BudgetSettings(when_reached=A.ALERT_ONLY)
PLAN = Plan("Plan", (Task("A", "A"), Task("B", "B")))

TABLE = [
    (Scope.DAY, 0.0, DEFAULT, A.ALLOW),
    (Scope.DAY, 7.99, DEFAULT, A.ALLOW),
    (Scope.DAY, 8.0, DEFAULT, A.ALERT_ONLY),
    (Scope.DAY, 9.99, DEFAULT, A.ALERT_ONLY),
    (Scope.DAY, 10.0, DEFAULT, A.DENY),
    (Scope.PROJECT, 8.0, THROTTLE, A.THROTTLE),
    (Scope.PROJECT, 10.0, THROTTLE, A.DENY),
    (Scope.ORGANISATION, 11.0, SOFT, A.ALERT_ONLY),
    (Scope.TASK, 11.0, SOFT, A.ALERT_ONLY),
    (Scope.RUN, 11.0, SOFT, A.DENY),
    (Scope.RUN, 8.5, SOFT, A.ALERT_ONLY),
    (Scope.TASK, 9.0, replace(DEFAULT, when_near=A.ALLOW), A.ALLOW),
    (Scope.TASK, 5.0, replace(DEFAULT, near=0.5), A.ALERT_ONLY),
    (Scope.DAY, 12.0, replace(THROTTLE, when_reached=A.THROTTLE), A.THROTTLE),
]


@pytest.mark.parametrize(("scope", "used", "settings", "action"), TABLE)
def test_each_share_of_a_budget_has_its_action(
    scope: Scope, used: float, settings: BudgetSettings, action: BudgetAction
) -> None:
    context = replace(BudgetContext(name="A"), **{scope.value: used})
    found = check_budget((Budget(scope, 10.0),), context, settings)
    assert (found.action, found.scope, found.used, found.limit) == (action, scope, used, 10.0)
    assert bool(found.why) is (action is not A.ALLOW)
    if action is not A.ALLOW:
        assert f"${used:.2f}" in found.why
        assert "$10.00" in found.why
        assert ("loop.max_cost" if scope is Scope.RUN else f"budget.{scope}") in found.why


amounts = st.floats(0, 50)
limits = st.lists(st.builds(Budget, st.sampled_from(Scope), st.floats(0.01, 50)), max_size=5)
contexts = st.builds(BudgetContext, amounts, amounts, amounts, amounts, amounts)
settings_of = st.builds(
    BudgetSettings,
    near=st.floats(0.1, 1),
    when_near=st.sampled_from((A.ALLOW, A.ALERT_ONLY, A.THROTTLE)),
    when_reached=st.sampled_from((A.DENY, A.ALERT_ONLY, A.THROTTLE)),
    throttle_seconds=st.floats(0, 60),
)


@given(limits, contexts, settings_of)
def test_the_strictest_budget_counts(
    given_limits: list[Budget], context: BudgetContext, settings: BudgetSettings
) -> None:
    found = check_budget(given_limits, context, settings)
    each = check_each(given_limits, context, settings)
    actions = {one.action for one in each}
    order = (A.DENY, A.THROTTLE, A.ALERT_ONLY, A.ALLOW)
    assert found.action is next((one for one in order if one in actions), A.ALLOW)
    left = left_to_spend(given_limits, context, settings)
    if found.action is A.DENY:
        assert left == LEAST
    hard = [b for b in given_limits if b.scope is Scope.RUN or settings.when_reached is A.DENY]
    assert bool(left) is bool(hard)
    for one in hard:
        assert left <= max(one.limit - context.spent(one.scope), LEAST)
    delays = [one.seconds for one in each if one.action is A.THROTTLE]
    if found.action is A.THROTTLE:
        assert found.seconds == max(delays)
        first = settings.throttle_seconds
        assert first <= found.seconds <= first * 16.001


def test_the_delay_doubles_four_times_on_the_way_to_the_limit() -> None:
    shares = (0.8, 0.85, 0.9, 0.95, 1.0, 3.0)
    assert [delay_of(one, 0.8, 30) for one in shares] == pytest.approx([30, 60, 120, 240, 480, 480])
    assert delay_of(1.0, 1.0, 2) == 32


def test_only_limits_that_are_set_are_budgets_the_widest_first() -> None:
    settings = Settings(
        budget=BudgetSettings(task=1, organisation=100), loop=LoopSettings(max_cost=10)
    )
    found = [(one.scope, one.limit) for one in budgets(settings)]
    assert found == [(Scope.ORGANISATION, 100), (Scope.RUN, 10), (Scope.TASK, 1)]
    assert budgets(Settings(loop=LoopSettings(max_cost=0))) == ()


# Decisions


def state_of(**more: object) -> RunState:
    run = RunInfo(id="r", branch="b", iterations=1, started_at=0.0)
    state = RunState(run=run, iteration=1, last_task="A", last_why="why", last_outcome="success")
    for name, value in more.items():
        setattr(run if hasattr(run, name) else state, name, value)
    return state


def scene_of(settings: BudgetSettings = DEFAULT, /, *, task: float = 0, **spent: float) -> Scene:
    scopes = (Budget(Scope(name), 10.0) for name in spent)
    results = check_each(scopes, replace(BudgetContext(), **spent), settings)
    return Scene(PLAN, now=100.0, jitter=0.5, asks=False, budgets=results, task_budget=task)


@pytest.mark.parametrize("scope", ["organisation", "day", "project"])
def test_money_that_is_used_up_ends_the_run_with_its_figures(scope: str) -> None:
    found = decide(state_of(), scene_of(DEFAULT, **{scope: 10.5}), LoopSettings())
    assert (found.action, found.reason) == (Action.STOP, StopReason.BUDGET_EXHAUSTED)
    assert "$10.50" in found.why
    assert f"budget.{scope}" in found.why
    assert exit_code(found.reason or StopReason.ERROR) == 4


def test_an_alert_stops_nothing() -> None:
    assert decide(state_of(), scene_of(SOFT, day=99), LoopSettings()).action is Action.CONTINUE


def test_a_throttle_is_waited_for_once_per_iteration() -> None:
    scene = scene_of(THROTTLE, day=9.0)
    found = decide(state_of(), scene, LoopSettings())
    assert found.action is Action.WAIT
    assert found.seconds == pytest.approx(4)
    assert found.budget is not None
    state = state_of()
    notice = BudgetNoticed(Scope.DAY, A.THROTTLE, 9, 10, "why", seconds=found.seconds)
    apply(state, Recorded(1, 1.0, "p", "r", notice))
    assert decide(state, scene, LoopSettings()).action is Action.CONTINUE
    started = IterationStarted(2, "A", "A", 1, "c", "initial", "agent")  # type: ignore[arg-type]
    apply(state, Recorded(2, 2.0, "p", "r", started))
    state.open_iteration = None
    assert decide(state, scene, LoopSettings()).action is Action.WAIT


def test_a_task_that_spent_its_budget_is_parked_and_the_rest_goes_on() -> None:
    state = state_of()
    state.task("A").cost = 1.25
    found = decide(state, scene_of(task=1.0), LoopSettings())
    assert (found.action, found.question and found.question.kind) == (
        Action.PARK,
        QuestionKind.BUDGET,
    )
    assert found.question is not None
    assert "$1.25" in found.question.summary
    assert "$1.00 (budget.task)" in found.question.summary
    apply(state, Recorded(1, 1.0, "p", "r", Escalated(found.question)))
    assert decide(state, scene_of(task=1.0), LoopSettings()).action is Action.CONTINUE
    assert overspent(state, PLAN.tasks, 1.0) is None


@pytest.mark.parametrize(
    ("reply", "skipped", "salvage"),
    [
        (Reply(Choice.OPTION, 1), False, "refs/kept"),
        (Reply(Choice.OPTION, 2), True, ""),
        (Reply(Choice.SKIP), True, ""),
        (Reply(Choice.GUIDANCE, text="smaller steps"), False, ""),
    ],
)
def test_an_answer_allows_as_much_again_or_leaves_it_out(
    reply: Reply, skipped: bool, salvage: str
) -> None:
    from ralph.domain.event import Answered

    state = state_of()
    state.task("A").cost = 1.25
    state.task("A").abandoned = "refs/kept"
    question = Question("Q1", "A", QuestionKind.BUDGET, "spent", options=("more", "out"))
    apply(state, Recorded(1, 1.0, "p", "r", Escalated(question)))
    apply(state, Recorded(2, 2.0, "p", "r", Answered("Q1", reply, "me")))
    task = state.task("A")
    assert (task.cost, bool(task.skipped), task.salvage) == (0, skipped, salvage)
    assert overspent(state, PLAN.tasks, 1.0) is None


def test_what_a_killed_agent_told_counts_as_spent() -> None:
    start = RunStarted("p", "g", "b", "c", "a", "w", worktree=False, pid=1, host="h", version="0")
    told = [AgentSpent(1, "A", Usage(10, cost_usd=cost)) for cost in (0.2, 0.5)]
    begun = IterationStarted(1, "A", "A", 1, "c", "initial", "agent")  # type: ignore[arg-type]
    events: list[Event] = [start, begun, *told]
    state = fold(Recorded(n, float(n), "p", "r", one) for n, one in enumerate(events, 1))
    assert state.run.running.cost_usd == 0.5
    again = replace(begun, iteration=2)
    for event in (again, start):
        apply(state, Recorded(9, 9.0, "p", "r", event))
        if event is again:
            assert state.run.usage.cost_usd == 0.5
        assert state.run.running == Usage()
        assert state.metrics.usage == Usage(10, cost_usd=0.5)
        assert state.task("A").cost == 0.5


def test_a_judge_s_money_is_spent_besides_the_agent_s() -> None:
    told = [
        AgentSpent(1, "A", Usage(10, cost_usd=0.5)),
        AgentSpent(1, "A", Usage(1, cost_usd=0.25), agent="judge", ended=True),
    ]
    state = fold(Recorded(n, float(n), "p", "", one) for n, one in enumerate(told, 1))
    assert state.run.running.cost_usd == 0.5
    assert state.run.usage.cost_usd == state.metrics.usage.cost_usd == 0.25
    assert state.task("A").cost == 0.75


def test_with_one_task_asked_for_the_others_budgets_raise_no_question() -> None:
    state = state_of()
    state.task("A").cost = 5.0
    scene = replace(scene_of(task=1.0), only="B")
    assert decide(state, scene, LoopSettings()).action is Action.CONTINUE
    assert decide(state, replace(scene, only="A"), LoopSettings()).action is Action.PARK
