from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ralph.domain.decision import StopReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.settings import LoopSettings

FAILING = frozenset({"failing", "terminated"})
_BREAKER = "the circuit breaker is open: the agent failed too often"


class Facts(Struct, frozen=True):
    """What a run has come to."""

    stop: str = ""
    """Who asked to stop, if anyone did."""
    goal: bool = False
    """Whether every task is finished."""
    breaker_open: bool = False
    breaker_note: str = ""
    """When it lets the next iteration try."""
    health: str = "healthy"
    health_note: str = ""
    """How it came to that."""
    failures: int = 0
    """In a row."""
    cost: float = 0
    """US dollars, with an estimate for what is not known."""
    cost_note: str = ""
    """What the cost leaves open, such as an agent that did not say what it spent."""
    budget: str = ""
    """Which other budget is used up, with its figures."""
    iterations: int = 0
    minutes: float = 0
    """Without waiting."""
    average_minutes: float = 0
    """Of an iteration."""
    since_completed: int = 0
    """Iterations since the last finished task."""
    anything_ready: bool = True
    """Whether there is another task to work on."""


class TerminationResult(Struct, frozen=True):
    """Whether a run ends now, and why."""

    should_terminate: bool = False
    reason: StopReason | None = None
    details: str = ""


class TerminationCriteria(Struct, frozen=True):
    """Where a run stops. 0 is no limit."""

    failures: int = 0
    cost: float = 0
    iterations: int = 0
    minutes: float = 0
    average_minutes: float = 0
    no_progress: int = 0

    @classmethod
    def of(cls, settings: LoopSettings) -> TerminationCriteria:
        return cls(
            failures=settings.max_failures,
            cost=settings.max_cost,
            iterations=settings.max_iterations,
            minutes=settings.max_minutes,
            average_minutes=settings.max_average_minutes,
            no_progress=settings.no_progress_iterations,
        )

    def evaluate(self, facts: Facts) -> TerminationResult:
        """Of the criteria that hold the first counts, in the order of `StopReason`."""
        found = next(_criteria(facts, self), None)
        return TerminationResult() if found is None else TerminationResult(True, *found)


_Found: TypeAlias = tuple[StopReason, str]


def _criteria(facts: Facts, limits: TerminationCriteria) -> Iterator[_Found]:
    if facts.stop:
        yield StopReason.EXPLICIT_STOP, f"stop requested by {facts.stop}"
    if facts.goal:
        yield StopReason.GOAL_ACHIEVED, "every task is finished"
    if facts.breaker_open:
        yield StopReason.CIRCUIT_BREAKER_OPEN, _with(_BREAKER, facts.breaker_note)
    if facts.health in FAILING:
        why = _with(f"the agent's health is {facts.health}", facts.health_note)
        yield StopReason.HEALTH_FAILURE, why
    yield from _limits(facts, limits)


def _limits(facts: Facts, limits: TerminationCriteria) -> Iterator[_Found]:
    if _reached(facts.failures, limits.failures):
        why = _why(facts.failures, limits.failures, "{} in a row", "failure", "max_failures")
        yield StopReason.CONSECUTIVE_ERRORS, why
    if _reached(facts.cost, limits.cost):
        yield StopReason.BUDGET_EXHAUSTED, _why_cost(facts, limits)
    if facts.budget:
        yield StopReason.BUDGET_EXHAUSTED, facts.budget
    if _reached(facts.iterations, limits.iterations):
        why = _why(facts.iterations, limits.iterations, "{}", "iteration", "max_iterations")
        yield StopReason.MAX_ITERATIONS, why
    if _reached(facts.minutes, limits.minutes):
        why = _why(facts.minutes, limits.minutes, "{} of run time", "minute", "max_minutes")
        yield StopReason.MAX_DURATION, why
    if facts.average_minutes > limits.average_minutes > 0:
        why = _why(
            facts.average_minutes,
            limits.average_minutes,
            "{} per iteration on average",
            "minute",
            "max_average_minutes",
        )
        yield StopReason.MAX_DURATION, why
    if not facts.anything_ready and _reached(facts.since_completed, limits.no_progress):
        why = _why(
            facts.since_completed,
            limits.no_progress,
            "{} without a finished task, and nothing else is ready",
            "iteration",
            "no_progress_iterations",
        )
        yield StopReason.NO_PROGRESS, why


def _with(why: str, note: str) -> str:
    return f"{why}; {note}" if note else why


def _reached(value: float, limit: float) -> bool:
    return 0 < limit <= value


def _why(value: float, limit: float, phrase: str, unit: str, setting: str) -> str:
    shown, most = _number(value), _number(limit)
    what = phrase.format(f"{shown} {unit}" if shown == "1" else f"{shown} {unit}s")
    if shown == most:
        return f"{what}, the limit (loop.{setting})"
    return f"{what}, over the limit of {most} (loop.{setting})"


def _number(value: float) -> str:
    """As a person writes it: `240` and `4.5`, never `2.4e+02`."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _why_cost(facts: Facts, limits: TerminationCriteria) -> str:
    shown, most = f"${facts.cost:.2f}", f"${limits.cost:.2f}"
    limit = "the limit" if shown == most else f"over the limit of {most}"
    note = f"; {facts.cost_note}" if facts.cost_note else ""
    return f"{shown} spent, {limit} (loop.max_cost){note}"
