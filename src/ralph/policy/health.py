"""How a running agent is, and what is due about it: never an end without the whole ladder.

The ladder: nudges, each with time to take effect; then people are informed; then, if nothing has
moved for another while, the agent is ended. Progress at any moment puts it back to the start. The
one shortcut is an agent that shows no sign of life at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.health import Breaker, HealthState, InterventionLevel
from ralph.domain.settings import HealthSettings
from ralph.policy.breaker import CircuitBreaker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.health import HeartbeatPayload


class AgentHealth(Struct, frozen=True):
    """What is known of one running agent. Times are of a clock that only goes forward."""

    began: float
    progress: float
    """When its work last moved."""
    alive: float
    """When anything of it last showed a sign of life."""
    heartbeats: int = 0
    errors: int = 0
    """In a row."""
    circling: str = ""
    """Which tool calls it repeats, if it does."""
    nudges: int = 0
    """Since the last progress."""
    nudged: float = 0
    escalated: float | None = None
    terminated: bool = False

    @classmethod
    def at(cls, now: float) -> AgentHealth:
        return cls(began=now, progress=now, alive=now)


class Intervention(Struct, frozen=True):
    """What has to be done about an agent, and for which sign."""

    level: InterventionLevel
    why: str
    """The sign, its value and its threshold."""
    number: int = 0
    """With a nudge: which one since the last progress."""
    dead: bool = False
    """Nothing of it lives any more: there was nobody left to nudge."""


class HealthSign(Struct, frozen=True):
    """Something that speaks for a state of health."""

    state: HealthState
    why: str


def beat(health: AgentHealth, payload: HeartbeatPayload) -> AgentHealth:
    """The health after a sign of life; progress ends whatever was being done about it."""
    health = replace(
        health,
        alive=max(health.alive, payload.at),
        heartbeats=health.heartbeats + 1,
        errors=payload.errors,
    )
    if not payload.progress or payload.at < health.progress:
        return health
    return replace(health, progress=payload.at, circling="", nudges=0, escalated=None)


def signs(health: AgentHealth, limits: HealthSettings, now: float) -> Iterator[HealthSign]:
    """What speaks against it, the worst first."""
    if health.terminated:
        yield HealthSign(HealthState.TERMINATED, "it was stopped")
    if health.escalated is not None:
        nudged = f"{health.nudges} nudge{'s' * (health.nudges != 1)}"
        yield HealthSign(HealthState.FAILING, f"{nudged} did not help (health.nudges)")
    if _reached(health.errors, limits.failing_errors):
        many = f"{health.errors} errors in a row, the limit is {limits.failing_errors}"
        yield HealthSign(HealthState.FAILING, f"{many} (health.failing_errors)")
    if health.circling:
        yield HealthSign(HealthState.STUCK, f"{health.circling} (health.tool_cycles)")
    still = (now - health.progress) / 60
    if _reached(still, limits.stuck_minutes):
        yield HealthSign(HealthState.STUCK, _still(still, limits.stuck_minutes, "stuck_minutes"))
    if _reached(health.errors, limits.degraded_errors):
        many = f"{health.errors} errors in a row, the threshold is {limits.degraded_errors}"
        yield HealthSign(HealthState.DEGRADED, f"{many} (health.degraded_errors)")
    if _reached(still, limits.degraded_minutes):
        yield HealthSign(
            HealthState.DEGRADED, _still(still, limits.degraded_minutes, "degraded_minutes")
        )


def worst(health: AgentHealth, limits: HealthSettings, now: float) -> HealthSign:
    """The state of health, and why."""
    return next(signs(health, limits, now), HealthSign(HealthState.HEALTHY, "it makes progress"))


def due(health: AgentHealth, limits: HealthSettings, now: float) -> Intervention | None:
    """The next step of the ladder, if it is time for it."""
    if health.terminated:
        return None
    if is_dead(health, limits, now):
        return Intervention(InterventionLevel.TERMINATE, _dead(health, limits, now), dead=True)
    sign = next((one for one in signs(health, limits, now) if one.state in _TROUBLE), None)
    if sign is None:
        return None
    return _step(health, limits, now, sign)


def _step(
    health: AgentHealth, limits: HealthSettings, now: float, sign: HealthSign
) -> Intervention | None:
    if health.escalated is not None:
        waited = now - health.escalated
        if waited < limits.escalate_minutes * 60:
            return None
        moved = f"nothing moved for another {minutes(waited / 60)} (health.escalate_minutes)"
        why = f"{_reason(health, limits, now)}; {sign.why}, and {moved}"
        return Intervention(InterventionLevel.TERMINATE, why)
    if health.nudges and now - health.nudged < limits.nudge_minutes * 60:
        return None
    if health.nudges < limits.nudges:
        return Intervention(InterventionLevel.NUDGE, sign.why, health.nudges + 1)
    return Intervention(InterventionLevel.ESCALATE, sign.why)


def is_dead(health: AgentHealth, limits: HealthSettings, now: float) -> bool:
    """Whether nothing of it has shown a sign of life for long enough."""
    return _reached((now - health.alive) / 60, _patience(health, limits))


def quiet(health: AgentHealth, limits: HealthSettings, now: float) -> float:
    """How much of the time that it may be without a sign of life is over; 0 without such a rule."""
    patience = _patience(health, limits)
    return (now - health.alive) / 60 / patience if patience > 0 else 0.0


def minutes(value: float) -> str:
    """As people say it: `30 minutes`, `1.5 minutes`, `3 seconds`."""
    amount, unit = (value, "minute") if value >= 1 else (value * 60, "second")
    shown = f"{amount:.1f}".removesuffix(".0") if amount >= 1 else f"{amount:.2g}"
    return f"{shown} {unit}{'s' * (shown != '1')}"


class HealthMonitoringService:
    """Watches one agent: tell it of every heartbeat, and ask it what is due."""

    def __init__(self, settings: HealthSettings | None = None, now: float = 0) -> None:
        self.settings = settings or HealthSettings()
        self.health = AgentHealth.at(now)
        self.circuit_breaker = CircuitBreaker.of(self.settings, Breaker())

    def heartbeat(self, payload: HeartbeatPayload) -> None:
        self.health = beat(self.health, payload)

    def circles(self, what: str) -> None:
        """It repeats these calls of tools; empty: not any more."""
        self.health = replace(self.health, circling=what)

    def check_health(self, now: float) -> HealthState:
        return worst(self.health, self.settings, now).state

    def why(self, now: float) -> str:
        """The sign that its health is judged by."""
        return worst(self.health, self.settings, now).why

    def quiet(self, now: float) -> float:
        """The share of the time without a sign of life after which it is taken for dead."""
        return quiet(self.health, self.settings, now)

    def due(self, now: float) -> Intervention | None:
        return due(self.health, self.settings, now)

    def nudged(self, now: float) -> None:
        self.health = replace(self.health, nudges=self.health.nudges + 1, nudged=now)

    def nudge_agent(self, now: float) -> str:
        """The reminder for an agent at work, to be put into its context: it counts as given."""
        worked = minutes((now - self.health.progress) / 60)
        self.nudged(now)
        return (
            f"Reminder {self.health.nudges} of {self.settings.nudges}: nothing has moved for "
            f"{worked}. Write down where you are, ask to hand over, or say what is in your way."
        )

    def escalated(self, now: float) -> None:
        self.health = replace(self.health, escalated=now)

    def terminated(self) -> None:
        self.health = replace(self.health, terminated=True)


_TROUBLE = (HealthState.STUCK, HealthState.FAILING)


def _reached(value: float, threshold: float) -> bool:
    return 0 < threshold <= value


def _patience(health: AgentHealth, limits: HealthSettings) -> float:
    started = health.heartbeats > 0 or not limits.start_minutes
    return limits.dead_minutes if started else min(limits.start_minutes, limits.dead_minutes)


def _reason(health: AgentHealth, limits: HealthSettings, now: float) -> str:
    """What it is in trouble for, apart from being past help."""
    found = (one for one in signs(replace(health, escalated=None), limits, now))
    still = f"no progress for {minutes((now - health.progress) / 60)}"
    return next((one.why for one in found if one.state in _TROUBLE), still)


def _still(value: float, threshold: float, name: str) -> str:
    return f"no progress for {minutes(value)}, the limit is {minutes(threshold)} (health.{name})"


def _dead(health: AgentHealth, limits: HealthSettings, now: float) -> str:
    silent = minutes((now - health.alive) / 60)
    started = health.heartbeats > 0
    name = "dead_minutes" if started else "start_minutes"
    limit = minutes(_patience(health, limits))
    return (
        f"no output, no CPU time, no file change and no running child for {silent}, "
        f"the limit is {limit} (health.{name})"
    )
