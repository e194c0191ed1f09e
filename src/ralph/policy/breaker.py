"""The circuit breaker: agents that fail again and again are left alone for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.domain.health import Breaker, BreakerState

if TYPE_CHECKING:
    from ralph.domain.settings import HealthSettings


class CircuitBreaker(Struct):
    """Closed: continue. Open: stop. Half-open: one iteration may try, and its end decides.

    The loop keeps what it knows in the ledger, so it is the same after a restart.
    """

    threshold: int = 8
    """Failures in a row that open it; 0 for never."""
    seconds: float = 1800
    """How long it stays open after the last of them."""
    known: Breaker = field(default_factory=Breaker)

    @classmethod
    def of(cls, settings: HealthSettings, known: Breaker) -> CircuitBreaker:
        return cls(settings.breaker_failures, settings.breaker_minutes * 60, known)

    def state(self, now: float) -> BreakerState:
        if not 0 < self.threshold <= self.known.failures:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now < self.opens_at else BreakerState.HALF_OPEN

    @property
    def opens_at(self) -> float:
        """When an open one lets the next iteration try."""
        return self.known.failed_at + self.seconds

    def failed(self, now: float) -> None:
        """One more failure of an agent itself; in the half-open state it opens again."""
        failed(self.known, now)

    def succeeded(self) -> None:
        """An agent worked: whatever it achieved, the breaker is closed."""
        succeeded(self.known)

    def trip(self, now: float) -> None:
        """Open it by hand."""
        self.known.failures = max(self.known.failures, self.threshold)
        self.known.failed_at = now


def failed(known: Breaker, now: float) -> None:
    known.failures += 1
    known.failed_at = now


def succeeded(known: Breaker) -> None:
    known.failures = 0
