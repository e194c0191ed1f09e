from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class HealthState(StrEnum):
    """How an agent at work is doing."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    """Signs of trouble: slow, or many errors."""
    STUCK = "stuck"
    """No progress for a long time."""
    FAILING = "failing"
    """An error loop, or nothing helped."""
    TERMINATED = "terminated"


class InterventionLevel(StrEnum):
    """What is done about an agent in trouble, mildest first."""

    NUDGE = "nudge"
    """A reminder in the running agent's own context."""
    ESCALATE = "escalate"
    """People and the loop get to know."""
    TERMINATE = "terminate"
    """The agent is ended; a fresh one continues from the last valid checkpoint."""


class HeartbeatPayload(Struct, frozen=True):
    """A sign of life of a running agent."""

    at: float
    source: str
    """Where it was seen: said, thought, tool, result, files, processor, children."""
    progress: bool = False
    """Whether the work moved, rather than only the clock."""
    errors: int = 0
    """Errors of the agent in a row, as far as it tells."""


class BreakerState(StrEnum):
    """Whether agents may be started."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Breaker(Struct):
    """What the ledger knows of failures of the agents themselves, over all runs."""

    failures: int = 0
    """In a row."""
    failed_at: float = 0
    """When the last of them was."""
