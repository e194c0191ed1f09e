from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class BudgetAction(StrEnum):
    ALLOW = "allow"
    THROTTLE = "throttle"
    """Go on, but slower."""
    DENY = "deny"
    ALERT_ONLY = "alert_only"
    """Say so and go on."""


class Scope(StrEnum):
    """Whose money it is, the widest first."""

    ORGANISATION = "organisation"
    DAY = "day"
    PROJECT = "project"
    RUN = "run"
    TASK = "task"


class Budget(Struct, frozen=True):
    scope: Scope
    limit: float
    """US dollars."""


class BudgetCheckResult(Struct, frozen=True):
    """What may be done about the next call."""

    action: BudgetAction
    why: str = ""
    scope: Scope | None = None
    used: float = 0
    limit: float = 0
    seconds: float = 0
    """With THROTTLE: how long to wait first."""
