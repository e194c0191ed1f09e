"""What a fresh agent needs to continue where another one stopped.

Fields that have their default are not written: one that is added later changes no old hash.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.usage import Usage


class ExecutionPhase(StrEnum):
    """Where the work on a task stands."""

    PLANNING = "planning"
    IMPLEMENTING = "implementing"
    TESTING = "testing"
    REVIEWING = "reviewing"
    HANDOFF = "handoff"
    COMPLETE = "complete"


class HandoffTrigger(StrEnum):
    """Why a fresh agent takes over."""

    CONTEXT_THRESHOLD = "context_threshold"
    PHASE_COMPLETE = "phase_complete"
    ERROR_THRESHOLD = "error_threshold"
    EXPLICIT_REQUEST = "explicit_request"
    TOKEN_BUDGET = "token_budget"  # noqa: S105 - a word, no secret
    TIMEOUT = "timeout"


class CheckpointMetadata(Struct, frozen=True, omit_defaults=True):
    """Which checkpoint it is, and what it was made for."""

    id: str
    """A UUIDv7: ids sort by time."""
    project: str
    run: str
    task: str
    agent: str
    iteration: int
    attempt: int
    at: float
    why: str
    """What it was made for: the end of an iteration, a request, a handoff."""


class BlockedItem(Struct, frozen=True, omit_defaults=True):
    item: str
    reason: str = ""


class ExecutionState(Struct, frozen=True, omit_defaults=True):
    """What is done of a task, what is not, and what is in the way."""

    phase: ExecutionPhase = ExecutionPhase.IMPLEMENTING
    completed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    blocked: tuple[BlockedItem, ...] = ()


class ContextSummary(Struct, frozen=True, omit_defaults=True):
    """What the next agent may take as decided or given."""

    decisions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


class CheckpointMetrics(Struct, frozen=True, omit_defaults=True):
    """What the work until then took, and what its tests said."""

    usage: Usage = field(default_factory=Usage)
    tool_calls: int = 0
    tests_passed: int = 0
    tests_failed: int = 0
    files_changed: int = 0
    seconds: float = 0


class RecoveryInfo(Struct, frozen=True, omit_defaults=True):
    """Where to go back to, and where to go on."""

    branch: str = ""
    commit: str = ""
    """The last verified commit."""
    salvage: str = ""
    """The ref that keeps unfinished work, if it left the workspace."""
    rollback: str = ""
    """How a person gets back to the last verified commit."""
    next_steps: tuple[str, ...] = ()
    continuation_prompt: str = ""


class Checkpoint(Struct, frozen=True, omit_defaults=True):
    """All that a fresh agent needs, with a hash over it."""

    metadata: CheckpointMetadata
    state: ExecutionState = field(default_factory=ExecutionState)
    context: ContextSummary = field(default_factory=ContextSummary)
    metrics: CheckpointMetrics = field(default_factory=CheckpointMetrics)
    recovery: RecoveryInfo = field(default_factory=RecoveryInfo)
    sha256: str = ""
    """Over all the rest."""


class Contribution(Struct, frozen=True):
    """What an agent says for the next one; empty where it said nothing."""

    phase: ExecutionPhase | None = None
    completed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    blocked: tuple[BlockedItem, ...] = ()
    decisions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
