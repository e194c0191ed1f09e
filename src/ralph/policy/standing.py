"""What a run has come to, as far as the criteria for its end ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain.budget import Scope
from ralph.domain.health import BreakerState, HealthState
from ralph.policy.breaker import CircuitBreaker
from ralph.policy.budget import denied
from ralph.policy.health import minutes
from ralph.policy.terminate import Facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.budget import BudgetCheckResult
    from ralph.domain.settings import HealthSettings
    from ralph.domain.state import RunState


def standing(
    state: RunState,
    now: float,
    limits: HealthSettings,
    budgets: Sequence[BudgetCheckResult] = (),
    *,
    goal: bool = False,
    anything_ready: bool = True,
) -> Facts:
    run = state.run
    spent = denied(budgets, Scope.ORGANISATION, Scope.DAY, Scope.PROJECT)
    return Facts(
        stop=run.stop,
        goal=goal,
        **_fitness(state, now, limits),
        failures=run.failures,
        cost=run.usage.cost_usd or 0.0,
        budget=spent.why if spent else "",
        iterations=run.iterations,
        minutes=run_minutes(state, now),
        average_minutes=run.working / run.iterations / 60 if run.iterations else 0.0,
        since_completed=run.since_completed,
        anything_ready=anything_ready,
    )


def run_minutes(state: RunState, now: float) -> float:
    """How long the run has taken. Waiting does not count."""
    run = state.run
    waited = run.waited + (now - run.paused_at if run.paused else 0)
    return max(0.0, now - run.started_at - waited) / 60


def out_of_time(state: RunState, now: float, most: float) -> bool:
    """Whether a run has used up its minutes; 0 is no limit."""
    return 0 < most <= run_minutes(state, now)


def _fitness(state: RunState, now: float, limits: HealthSettings) -> dict[str, Any]:
    """The facts about the breaker and about agents that had to be ended, with words for people."""
    ended = state.run.terminations
    breaker = CircuitBreaker.of(limits, state.breaker)
    opens = minutes((breaker.opens_at - now) / 60)
    unfit = 0 < limits.terminations <= ended
    return {
        "breaker_open": breaker.state(now) is BreakerState.OPEN,
        "breaker_note": f"it may try again in {opens} (health.breaker_minutes)",
        "health": state.run.health if unfit else HealthState.HEALTHY,
        "health_note": f"{ended} agents in a row were ended (health.terminations)",
    }
