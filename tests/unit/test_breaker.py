from __future__ import annotations

import pytest
from msgspec.structs import replace

from ralph.domain.decision import Action, StopReason
from ralph.domain.health import Breaker, BreakerState, HealthState
from ralph.domain.plan import Plan
from ralph.domain.settings import HealthSettings, LoopSettings
from ralph.domain.state import RunState
from ralph.domain.task import Task
from ralph.policy.breaker import CircuitBreaker
from ralph.policy.decide import Scene, decide

CLOSED, OPEN, HALF_OPEN = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN
SETTINGS = HealthSettings(breaker_failures=2, breaker_minutes=1)


@pytest.mark.parametrize(
    ("happens", "states"),
    [
        # F: an agent failed, S: an agent worked, T: opened by hand, a number: seconds pass
        (["F"], [CLOSED]),
        (["F", "F"], [CLOSED, OPEN]),
        (["F", "S", "F"], [CLOSED, CLOSED, CLOSED]),
        (["F", "F", 59], [CLOSED, OPEN, OPEN]),
        (["F", "F", 60], [CLOSED, OPEN, HALF_OPEN]),
        (["F", "F", 60, "S"], [CLOSED, OPEN, HALF_OPEN, CLOSED]),
        (["F", "F", 60, "F", 59, 1], [CLOSED, OPEN, HALF_OPEN, OPEN, OPEN, HALF_OPEN]),
        (["F", "F", 60, "S", "F"], [CLOSED, OPEN, HALF_OPEN, CLOSED, CLOSED]),
        (["T", 60, "S"], [OPEN, HALF_OPEN, CLOSED]),
    ],
)
def test_transitions(happens: list[str | int], states: list[BreakerState]) -> None:
    breaker, now, seen = CircuitBreaker.of(SETTINGS, Breaker()), 1000.0, []
    for one in happens:
        match one:
            case "F":
                breaker.failed(now)
            case "S":
                breaker.succeeded()
            case "T":
                breaker.trip(now)
            case _:
                now += float(one)
        seen.append(breaker.state(now))
    assert seen == states


def test_a_threshold_of_0_never_opens() -> None:
    breaker = CircuitBreaker(threshold=0)
    for _ in range(100):
        breaker.failed(1)
    assert breaker.state(1) is CLOSED


PLAN = Plan("x", (Task(id="T1", title="one"),))
SCENE = Scene(PLAN, now=1000, jitter=0.5, asks=False, health=SETTINGS)


def test_an_open_breaker_stops_the_run_and_says_when_it_may_try() -> None:
    state = RunState(breaker=Breaker(failures=2, failed_at=970))
    decision = decide(state, SCENE, LoopSettings())
    assert (decision.action, decision.reason) == (Action.STOP, StopReason.CIRCUIT_BREAKER_OPEN)
    assert "may try again in 30 seconds (health.breaker_minutes)" in decision.why
    later = replace(SCENE, now=1030)
    assert decide(state, later, LoopSettings()).action is Action.CONTINUE


def test_one_agent_that_was_ended_does_not_end_the_run_but_many_in_a_row_do() -> None:
    state = RunState()
    state.run.health = HealthState.TERMINATED
    for ended, stops in ((1, False), (3, False), (4, True)):
        state.run.terminations = ended
        decision = decide(state, SCENE, LoopSettings())
        assert (decision.reason is StopReason.HEALTH_FAILURE) is stops
    assert "4 agents in a row were ended (health.terminations)" in decision.why
