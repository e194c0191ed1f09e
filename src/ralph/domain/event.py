"""What can happen. The ledger is a list of these; everything else is computed from it.

An event is a fact in the past tense. Fields may be added with a default, never renamed or removed:
old ledgers are read for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ralph.domain.answer import Ended
from ralph.domain.claim import Claim
from ralph.domain.decision import Action, Outcome, StopReason, Trigger
from ralph.domain.question import Question, Reply
from ralph.domain.task import Kind
from ralph.domain.usage import Usage
from ralph.domain.verdict import CheckResult, Level


@dataclass(frozen=True, slots=True)
class RunStarted:
    plan: str
    goal: str
    branch: str
    base: str
    agent: str
    workspace: str
    worktree: bool
    pid: int
    host: str
    version: str
    untracked: tuple[str, ...] = ()
    """Files the user had not added to git: they are never committed or removed."""
    dirt: tuple[str, ...] = ()
    """Files that differed from the head and may, such as the plan."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    reason: StopReason
    why: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class PauseRequested:
    by: str


@dataclass(frozen=True, slots=True)
class ResumeRequested:
    by: str


@dataclass(frozen=True, slots=True)
class StopRequested:
    by: str
    now: bool = False


@dataclass(frozen=True, slots=True)
class BaseChecked:
    commit: str
    passed: bool
    results: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IterationStarted:
    iteration: int
    task: str
    title: str
    attempt: int
    base: str
    trigger: Trigger
    agent: str
    guided: bool = False
    fix_only: bool = False


@dataclass(frozen=True, slots=True)
class AgentFinished:
    iteration: int
    task: str
    ended: Ended
    exit_code: int | None
    seconds: float
    output_bytes: int
    tail: str
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    log: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Claimed:
    iteration: int
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class PutBack:
    """The agent changed something that is not its to change; it was restored."""

    iteration: int
    path: str
    why: str
    salvage: str = ""


@dataclass(frozen=True, slots=True)
class PlanEditApplied:
    """A person said that an edit of the plan that was put back is to count after all."""

    salvage: str


@dataclass(frozen=True, slots=True)
class Verified:
    iteration: int
    passed: bool
    level: Level
    why: str
    commit: str
    tree: str
    results: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AboutToCommit:
    iteration: int
    task: str
    commit: str
    tree: str
    branch: str
    base: str
    level: Level = Level.GREEN


@dataclass(frozen=True, slots=True)
class Settled:
    iteration: int
    task: str
    commit: str
    level: Level
    kind: Kind = Kind.FEATURE
    area: str = ""


@dataclass(frozen=True, slots=True)
class IterationEnded:
    iteration: int
    task: str
    outcome: Outcome
    why: str
    seconds: float
    tree: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""
    """What failed, normalised; empty on success."""
    feedback: str = ""
    """What the next attempt must know."""
    summary: str = ""
    """The agent's own last words, bounded."""
    agent_failed: bool = False
    """The agent itself broke, as opposed to a red check."""
    fix_only: bool = False
    """The next attempt is to repair what a check found, and nothing else."""
    looping: bool = False
    held: bool = True
    """Whether unfinished work may be in the workspace."""


@dataclass(frozen=True, slots=True)
class Decided:
    iteration: int
    action: Action
    why: str


@dataclass(frozen=True, slots=True)
class Waited:
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class Escalated:
    question: Question


@dataclass(frozen=True, slots=True)
class Answered:
    question: str
    reply: Reply
    by: str


@dataclass(frozen=True, slots=True)
class TaskSkipped:
    task: str
    why: str
    by: str


@dataclass(frozen=True, slots=True)
class PlanMarked:
    """What a person wanted of these tasks now stands in the plan."""

    tasks: tuple[str, ...]
    commit: str = ""


@dataclass(frozen=True, slots=True)
class TaskRetried:
    task: str
    feedback: str
    by: str


@dataclass(frozen=True, slots=True)
class Salvaged:
    ref: str
    commit: str
    why: str
    task: str = ""
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class RolledBack:
    task: str
    to: str
    why: str
    salvage: str = ""


@dataclass(frozen=True, slots=True)
class Reverted:
    iteration: int
    to: str
    salvage: str
    reopened: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Squashed:
    commit: str
    salvage: str
    tasks: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class Recovered:
    iteration: int
    task: str
    how: str


@dataclass(frozen=True, slots=True)
class Noted:
    """What an agent added to progress.md."""

    iteration: int
    text: str = ""
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointMade:
    iteration: int
    ref: str
    commit: str


Event: TypeAlias = (
    RunStarted
    | RunEnded
    | PauseRequested
    | ResumeRequested
    | StopRequested
    | BaseChecked
    | IterationStarted
    | AgentFinished
    | Claimed
    | PutBack
    | PlanEditApplied
    | Verified
    | AboutToCommit
    | Settled
    | IterationEnded
    | Decided
    | Waited
    | Escalated
    | Answered
    | TaskSkipped
    | TaskRetried
    | PlanMarked
    | Salvaged
    | RolledBack
    | Reverted
    | Squashed
    | Recovered
    | Noted
    | CheckpointMade
)

EVENTS: dict[str, type[Event]] = {kind.__name__: kind for kind in Event.__args__}


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the ledger."""

    seq: int
    at: float
    """Seconds since the epoch, by the wall clock; for people, never for deciding who is first."""
    project: str
    run: str
    event: Event
    prev: str = ""
    hash: str = ""
