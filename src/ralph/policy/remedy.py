"""What to do about an agent's own trouble, and which agent of a chain works next."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph.domain.state import AgentState

COOL_DOWN_SECONDS = 60.0
"""How long an agent of a chain is left alone after its first failure; doubled with each more."""
LONGEST_COOL_DOWN = 1800.0
UNKNOWN_LIMIT_SECONDS = 900.0
"""How long to wait for a used-up limit that does not say when it is lifted."""
A_LITTLE = 1.0
"""Seconds after the given time: the other side's clock may be behind ours."""


class Remedy(StrEnum):
    ATTEMPT = "attempt"
    """It counts as a failed attempt; a fresh agent tries again."""
    RETRY = "retry"
    """Not the task's fault: again, after a pause that grows."""
    WAIT = "wait"
    """Not before a certain time; not a failure."""
    PERSON = "person"
    """Nothing helps until a person does something."""


REMEDIES: Mapping[TroubleKind, Remedy] = {
    TroubleKind.NOT_STARTED: Remedy.PERSON,
    TroubleKind.TIMEOUT: Remedy.ATTEMPT,
    TroubleKind.IDLE: Remedy.ATTEMPT,
    TroubleKind.EXIT: Remedy.ATTEMPT,
    TroubleKind.KILLED: Remedy.ATTEMPT,
    TroubleKind.CONNECTION: Remedy.RETRY,
    TroubleKind.RATE_LIMIT: Remedy.RETRY,
    TroubleKind.USAGE_LIMIT: Remedy.WAIT,
    TroubleKind.OVERLOAD: Remedy.RETRY,
    TroubleKind.AUTHENTICATION: Remedy.PERSON,
    TroubleKind.BILLING: Remedy.PERSON,
    TroubleKind.PERMISSION: Remedy.PERSON,
    TroubleKind.MODEL_NOT_FOUND: Remedy.PERSON,
    TroubleKind.PROMPT_TOO_LONG: Remedy.ATTEMPT,
    TroubleKind.REFUSAL: Remedy.ATTEMPT,
    TroubleKind.EMPTY: Remedy.ATTEMPT,
    TroubleKind.GARBAGE: Remedy.RETRY,
    TroubleKind.BUDGET: Remedy.ATTEMPT,
    TroubleKind.TURNS: Remedy.ATTEMPT,
    TroubleKind.EXCESS: Remedy.ATTEMPT,
    TroubleKind.DISK: Remedy.RETRY,
    TroubleKind.STUCK: Remedy.ATTEMPT,
}
STAYS = frozenset(
    {
        TroubleKind.TIMEOUT,
        TroubleKind.IDLE,
        TroubleKind.PROMPT_TOO_LONG,
        TroubleKind.BUDGET,
        TroubleKind.TURNS,
        TroubleKind.EXCESS,
        TroubleKind.DISK,
        TroubleKind.STUCK,
    }
)
"""About the work rather than the agent: another agent of the chain would fare no better."""


class Pause(Struct, frozen=True):
    """No agent can work before this time."""

    until: float
    agent: str
    why: str


class Hopeless(Struct, frozen=True):
    """No agent can work before a person does something."""

    agent: str
    why: str


def free_at(known: AgentState | None) -> float:
    """When an agent may be asked again: after its limit is reset, or a wait that grows."""
    if known is None or known.kind is None or known.kind in STAYS:
        return 0.0
    if REMEDIES[known.kind] is Remedy.WAIT:
        return (known.until or known.at + UNKNOWN_LIMIT_SECONDS) + A_LITTLE
    exponent = min(max(known.failures, 1) - 1, 30)
    return known.at + min(COOL_DOWN_SECONDS * 2.0**exponent, LONGEST_COOL_DOWN)


def pick(names: Sequence[str], known: Mapping[str, AgentState], now: float) -> str | None:
    """The first agent that may work now; one that only has to pause counts if there is no other.

    None if all wait for a limit or for a person.
    """
    free = (name for name in names if free_at(known.get(name)) <= now)
    return next(free, None) or next((name for name in names if _passes(known.get(name))), None)


def _passes(known: AgentState | None) -> bool:
    """Whether the trouble may be over by itself at any moment."""
    return (
        known is None
        or known.kind is None
        or REMEDIES[known.kind] in (Remedy.RETRY, Remedy.ATTEMPT)
    )


def held_up(
    names: Sequence[str], known: Mapping[str, AgentState], now: float
) -> Pause | Hopeless | None:
    """Why no agent can work now; None if one can."""
    if not names or pick(names, known, now) is not None:
        return None
    waiting = [n for n in names if (s := known[n]).kind and REMEDIES[s.kind] is Remedy.WAIT]
    if waiting:
        first = min(waiting, key=lambda name: free_at(known[name]))
        return Pause(free_at(known[first]), first, known[first].why)
    return Hopeless(names[0], known[names[0]].why)
