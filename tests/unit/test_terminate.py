from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import pytest
from msgspec.structs import fields, replace

from ralph.domain.decision import StopReason
from ralph.policy.terminate import Facts, TerminationCriteria

LIMITS = TerminationCriteria(
    failures=5, cost=10, iterations=50, minutes=240, average_minutes=30, no_progress=3
)
GOING = Facts(
    failures=4,
    cost=9.99,
    iterations=49,
    minutes=239.9,
    average_minutes=30,
    since_completed=3,
    anything_ready=True,
)


class Case(NamedTuple):
    facts: dict[str, object]
    reason: StopReason
    why: str


# In the order in which they count.
CASES = (
    Case({"stop": "ada"}, StopReason.EXPLICIT_STOP, "stop requested by ada"),
    Case({"goal": True}, StopReason.GOAL_ACHIEVED, "every task is finished"),
    Case(
        {"breaker_open": True},
        StopReason.CIRCUIT_BREAKER_OPEN,
        "the circuit breaker is open: the agent failed too often",
    ),
    Case({"health": "failing"}, StopReason.HEALTH_FAILURE, "the agent's health is failing"),
    Case(
        {"failures": 5},
        StopReason.CONSECUTIVE_ERRORS,
        "5 failures in a row, the limit (loop.max_failures)",
    ),
    Case(
        {"cost": 12.4},
        StopReason.BUDGET_EXHAUSTED,
        "$12.40 spent, over the limit of $10.00 (loop.max_cost)",
    ),
    Case(
        {"iterations": 50},
        StopReason.MAX_ITERATIONS,
        "50 iterations, the limit (loop.max_iterations)",
    ),
    Case(
        {"minutes": 241.5},
        StopReason.MAX_DURATION,
        "241.5 minutes of run time, over the limit of 240 (loop.max_minutes)",
    ),
    Case(
        {"average_minutes": 31.25},
        StopReason.MAX_DURATION,
        "31.25 minutes per iteration on average, over the limit of 30 (loop.max_average_minutes)",
    ),
    Case(
        {"anything_ready": False},
        StopReason.NO_PROGRESS,
        "3 iterations without a finished task, and nothing else is ready, "
        "the limit (loop.no_progress_iterations)",
    ),
)


def _facts(*changes: dict[str, object]) -> Facts:
    merged = {name: value for change in changes for name, value in change.items()}
    return replace(GOING, **merged)


def test_the_run_goes_on_below_every_limit() -> None:
    assert not LIMITS.evaluate(GOING).should_terminate


def test_a_fresh_run_goes_on() -> None:
    assert not LIMITS.evaluate(Facts()).should_terminate
    assert not LIMITS.evaluate(Facts(anything_ready=False)).should_terminate


@pytest.mark.parametrize("case", CASES, ids=lambda case: next(iter(case.facts)))
def test_each_criterion(case: Case) -> None:
    ending = LIMITS.evaluate(_facts(case.facts))
    assert (ending.reason, ending.details) == (case.reason, case.why)


@pytest.mark.parametrize(
    ("first", "second"),
    list(combinations(CASES, 2)),
    ids=lambda case: next(iter(case.facts)),
)
def test_of_two_criteria_the_earlier_counts(first: Case, second: Case) -> None:
    ending = LIMITS.evaluate(_facts(second.facts, first.facts))
    assert (ending.reason, ending.details) == (first.reason, first.why)


def test_everything_at_once_is_an_explicit_stop() -> None:
    ending = LIMITS.evaluate(_facts(*(case.facts for case in CASES)))
    assert ending.reason is StopReason.EXPLICIT_STOP


@pytest.mark.parametrize("limit", [field.name for field in fields(TerminationCriteria)])
def test_zero_is_no_limit(limit: str) -> None:
    over = Facts(
        failures=99,
        cost=99,
        iterations=99,
        minutes=999,
        average_minutes=99,
        since_completed=99,
        anything_ready=False,
    )
    assert not TerminationCriteria().evaluate(over).should_terminate
    only = replace(TerminationCriteria(), **{limit: getattr(LIMITS, limit)})
    assert only.evaluate(over).should_terminate


@pytest.mark.parametrize("health", ["healthy", "degraded", "stuck", ""])
def test_health_that_is_not_the_end(health: str) -> None:
    assert not LIMITS.evaluate(replace(GOING, health=health)).should_terminate


def test_a_terminated_agent_ends_the_run() -> None:
    ending = LIMITS.evaluate(replace(GOING, health="terminated"))
    assert ending.reason is StopReason.HEALTH_FAILURE


def test_no_progress_needs_enough_iterations() -> None:
    facts = replace(GOING, since_completed=2, anything_ready=False)
    assert not LIMITS.evaluate(facts).should_terminate


def test_a_cost_that_is_not_fully_known_says_so() -> None:
    facts = replace(GOING, cost=10.0, cost_note="2 agents did not say what they spent")
    ending = LIMITS.evaluate(facts)
    assert ending.details == (
        "$10.00 spent, the limit (loop.max_cost); 2 agents did not say what they spent"
    )


def test_one_is_singular_and_large_numbers_are_written_out() -> None:
    once = TerminationCriteria(iterations=1).evaluate(Facts(iterations=1))
    assert once.details == "1 iteration, the limit (loop.max_iterations)"
    many = TerminationCriteria(iterations=1_000_000).evaluate(Facts(iterations=2_000_000))
    assert many.details == "2000000 iterations, over the limit of 1000000 (loop.max_iterations)"
