"""Forecasts hold what they promise: the range contains the outcome in four of five cases."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from ralph.domain.answer import Ended
from ralph.domain.budget import BudgetAction, BudgetCheckResult, PastTask, Scope
from ralph.domain.decision import Outcome
from ralph.domain.event import AgentFinished, IterationEnded, Recorded, Settled
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level
from ralph.policy.forecast import DAY, ends, forecast, past_tasks, predict

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.event import Event

CASES = 1_000

FAMILIES: dict[str, Callable[[random.Random], float]] = {
    "log-normal, alike": lambda chance: chance.lognormvariate(0, 0.4),
    "log-normal": lambda chance: chance.lognormvariate(0, 0.8),
    "log-normal, wild": lambda chance: chance.lognormvariate(0, 1.2),
    "gamma": lambda chance: chance.gammavariate(2, 1),
    "gamma, many small": lambda chance: chance.gammavariate(0.8, 1),
    "mixture": lambda chance: chance.lognormvariate(0, 0.5) * (5 if chance.random() < 0.2 else 1),
    "mixture, rare and large": lambda chance: (
        chance.lognormvariate(0, 0.5) * (10 if chance.random() < 0.1 else 1)
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_range_contains_the_outcome_as_often_as_it_says(name: str) -> None:
    chance, draw = random.Random(20261116), FAMILIES[name]  # noqa: S311 - a simulation
    inside = 0
    for _ in range(CASES):
        past = [draw(chance) for _ in range(chance.randint(5, 60))]
        left = chance.randint(3, 40)
        found = predict(past, left)
        assert found is not None
        inside += found.low <= sum(draw(chance) for _ in range(left)) <= found.high
    assert 0.70 <= inside / CASES <= 0.90


def test_a_longer_history_makes_it_narrower() -> None:
    short, long = predict([1.0, 2.0, 1.5], 10), predict([1.0, 2.0, 1.5] * 10, 10)
    assert short is not None
    assert long is not None
    assert short.high / short.low > long.high / long.low
    assert short.low < short.middle < short.high
    assert short.middle == pytest.approx(15)
    assert predict([], 10) is None
    assert predict([0.0, 0.0], 3) is not None


def test_without_a_history_it_is_a_guess_and_says_so() -> None:
    found = forecast([], 4)
    assert found.note == "no history: a guess"
    assert found.cost is not None
    assert found.cost.high / found.cost.low >= 20
    assert found.seconds is None


def test_agents_that_do_not_tell_their_cost_leave_only_the_time() -> None:
    found = forecast([PastTask(None, 60.0)] * 3, 2)
    assert found.cost is None
    assert found.seconds is not None
    assert "do not report" in found.note


def test_subagents_that_are_new_count_with_the_factor_until_there_is_a_history() -> None:
    plain = [PastTask(1.0, 60.0)] * 5
    alone = forecast(plain, 2, factor=15)
    new = forecast(plain, 2, subagents=True, factor=15)
    known = forecast([*plain, PastTask(3.0, 60.0, subagents=True)], 2, subagents=True, factor=15)
    assert alone.cost is not None
    assert new.cost is not None
    assert known.cost is not None
    assert new.cost.middle == pytest.approx(15 * alone.cost.middle)
    assert new.cost.low == pytest.approx(alone.cost.low)
    assert "15 times" in new.note
    assert known.cost.middle == pytest.approx(6)
    assert known.history == 1
    guess = forecast([], 1, subagents=True, factor=15)
    assert guess.cost is not None
    assert guess.cost.middle == 15


def finished(task: str, cost: float | None, **tools: int) -> Event:
    usage = Usage(cost_usd=cost)
    return AgentFinished(1, task, Ended.EXITED, 0, 1, 0, "", usage=usage, tools=tools)


def ended(task: str, seconds: float, outcome: Outcome = Outcome.SUCCESS) -> Event:
    return IterationEnded(1, task, outcome, "", seconds)


def test_a_task_s_history_is_all_of_its_attempts() -> None:
    events = [
        finished("A", 0.5),
        ended("A", 10, Outcome.FAILED),
        finished("B", None),
        finished("A", 0.25, Task=1),
        Settled(1, "A", "c", Level.GREEN),
        ended("A", 20),
        finished("A", 9.0),
        Settled(1, "B", "c", Level.GREEN),
        ended("B", 5),
    ]
    recorded = [Recorded(n, float(n), "p", "r", one) for n, one in enumerate(events)]
    assert past_tasks(recorded) == (PastTask(0.75, 30, subagents=True), PastTask(None, 5))


def left(scope: Scope, limit: float, used: float = 0.0) -> BudgetCheckResult:
    return BudgetCheckResult(BudgetAction.ALLOW, scope=scope, used=used, limit=limit)


def test_it_says_which_budgets_last() -> None:
    found = forecast([PastTask(1.0, 600.0)] * 20, 10)
    checks = [left(Scope.PROJECT, 100), left(Scope.RUN, 5), left(Scope.TASK, 1)]
    project, run = ends(found, checks, now=0.0)
    assert (project.chance, project.left) == ("no", 100)
    assert run.chance == "likely"
    assert (run.tasks, run.seconds) == pytest.approx((5, 3000))
    assert found.cost is not None
    [close] = ends(found, [left(Scope.ORGANISATION, found.cost.high - 0.1)], now=0.0)
    assert close.chance == "perhaps"


def test_a_day_s_budget_need_only_last_until_midnight() -> None:
    found = forecast([PastTask(1.0, 600.0)] * 20, 10)
    [morning] = ends(found, [left(Scope.DAY, 5)], now=DAY / 2)
    [night] = ends(found, [left(Scope.DAY, 5)], now=DAY - 1000)
    assert (morning.chance, night.chance) == ("likely", "no")
