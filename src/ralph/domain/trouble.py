from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class TroubleKind(StrEnum):
    """How an agent itself can fail, as opposed to its work."""

    NOT_STARTED = "not_started"
    """Not installed, or not to be run here."""
    TIMEOUT = "timeout"
    IDLE = "idle"
    EXIT = "process_exit"
    """It broke, and said nothing that could be understood."""
    KILLED = "killed"
    CONNECTION = "connection"
    RATE_LIMIT = "rate_limit"
    """Too many requests for the moment."""
    USAGE_LIMIT = "usage_limit"
    """What the account may use is used up until a certain time."""
    OVERLOAD = "overload"
    """The service has trouble of its own."""
    AUTHENTICATION = "authentication"
    BILLING = "billing"
    PERMISSION = "permission"
    MODEL_NOT_FOUND = "model_not_found"
    PROMPT_TOO_LONG = "prompt_too_long"
    REFUSAL = "refusal"
    EMPTY = "empty_answer"
    GARBAGE = "garbage"
    """What came was not the agent's protocol."""
    BUDGET = "budget"
    """It was stopped because it had spent what it may."""
    TURNS = "turns"
    """It was stopped by a limit on its turns or its answer's length."""
    EXCESS = "excess"
    """It was ended because it took more memory or processes than it may."""
    DISK = "disk"
    """It was ended because the disk was nearly full."""
    STUCK = "stuck"
    """It made no progress, reminders did not help, and it was ended."""


class Trouble(Struct, frozen=True):
    kind: TroubleKind
    message: str
    """What happened and what to do about it, in a sentence or two."""
    until: float = 0
    """When it will be over, in seconds since the epoch; 0 if nobody knows."""
