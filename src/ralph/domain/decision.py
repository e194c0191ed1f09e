from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from ralph.domain.budget import BudgetCheckResult
from ralph.domain.question import Question


class Action(StrEnum):
    CONTINUE = "continue"
    RETRY = "retry"
    ESCALATE = "escalate"
    """Ask a person now, at the terminal."""
    PARK = "park"
    """Leave the question in the inbox and continue with what does not depend on it."""
    HANDOFF = "handoff"
    """A fresh agent continues the same task."""
    WAIT = "wait"
    STOP = "stop"


class Outcome(StrEnum):
    SUCCESS = "success"
    FAILED = "failed"
    BUDGET_EXCEEDED = "budget_exceeded"
    BLOCKED = "blocked"
    INTERRUPTED = "interrupted"


class StopReason(StrEnum):
    """Why a run ended, in the order in which the reasons are evaluated."""

    EXPLICIT_STOP = "explicit_stop"
    GOAL_ACHIEVED = "goal_achieved"
    CIRCUIT_BREAKER_OPEN = "circuit_breaker_open"
    HEALTH_FAILURE = "health_failure"
    CONSECUTIVE_ERRORS = "consecutive_errors"
    BUDGET_EXHAUSTED = "budget_exhausted"
    MAX_ATTEMPTS = "max_attempts"
    """A task of `ralph execute` has used up its attempts."""
    MAX_ITERATIONS = "max_iterations"
    MAX_DURATION = "max_duration"
    NO_PROGRESS = "no_progress"
    USAGE_LIMIT = "usage_limit"
    """The agent's account is used up for longer than the run may wait."""
    DISK_FULL = "disk_full"
    """A disk was nearly full for longer than the run may wait."""
    AGENT_UNAVAILABLE = "agent_unavailable"
    """No agent can work before a person logs in, pays or installs it."""
    WAITING_FOR_PERSON = "waiting_for_person"
    ONCE = "once"
    """The one iteration that `--once` asked for is over."""
    INTERRUPTED = "interrupted"
    ERROR = "error"


class Trigger(StrEnum):
    """Why an iteration was started."""

    INITIAL = "initial"
    TASK_INCOMPLETE = "task_incomplete"
    RECOVERY = "recovery"
    PREVIOUS_SUCCESS = "previous_success"
    LOOP_DETECTED = "loop_detected"
    SAFETY_LIMIT = "safety_limit"
    USER_STOP = "user_stop"


EXIT_CODES = {
    StopReason.GOAL_ACHIEVED: 0,
    StopReason.ONCE: 0,
    StopReason.ERROR: 1,
    StopReason.AGENT_UNAVAILABLE: 1,
    StopReason.WAITING_FOR_PERSON: 5,
    StopReason.EXPLICIT_STOP: 6,
    StopReason.INTERRUPTED: 130,
}


def exit_code(reason: StopReason) -> int:
    """4 (a limit) for every reason that has no code of its own."""
    return EXIT_CODES.get(reason, 4)


class Decision(Struct, frozen=True):
    """What happens next, and why."""

    action: Action
    why: str
    seconds: float = 0
    """With WAIT: how long."""
    until: float = 0
    """With WAIT for a limit: the moment it is lifted."""
    reason: StopReason | None = None
    """With STOP."""
    question: Question | None = None
    """With ESCALATE and PARK."""
    budget: BudgetCheckResult | None = None
    """With WAIT for a throttle."""
    room: bool = False
    """With WAIT for room on a disk."""
