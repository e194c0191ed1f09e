"""What can happen. The ledger is a list of these; everything else is computed from it.

An event is a fact in the past tense. Fields may be added with a default. A change of any other kind
also teaches `ledger/codec.py` what earlier versions wrote: old ledgers stay readable.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.attended import Attended
from ralph.domain.checkpoint import HandoffTrigger
from ralph.domain.claim import Claim
from ralph.domain.decision import Action, Outcome, StopReason, Trigger
from ralph.domain.notify import DeliveryFailed
from ralph.domain.question import Question, Reply
from ralph.domain.task import Kind
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.domain.verdict import CheckResult, Level, Verdict


class RunStarted(Struct, frozen=True):
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
    account: str = ""
    """Who pays for the first agent; empty if nobody can tell."""
    came_from: str = ""
    """The branch that the user was on before, if it was another."""
    lacks: int = 0
    """Commits that were checked out there and the branch does not have."""
    max_cost: float | None = None


class RunEnded(Struct, frozen=True):
    reason: StopReason
    why: str
    exit_code: int


class PauseRequested(Struct, frozen=True):
    by: str


class ResumeRequested(Struct, frozen=True):
    by: str


class StopRequested(Struct, frozen=True):
    by: str
    now: bool = False


class BaseChecked(Struct, frozen=True):
    commit: str
    passed: bool
    results: tuple[CheckResult, ...] = ()
    notes: tuple[str, ...] = ()


class IterationStarted(Struct, frozen=True):
    iteration: int
    task: str
    title: str
    attempt: int
    base: str
    trigger: Trigger
    agent: str
    guided: bool = False
    fix_only: bool = False
    edits: str = ""
    """A commit of what the user had edited and not committed, if anything."""


class AgentFinished(Struct, frozen=True):
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
    agent: str = ""
    trouble: TroubleKind | None = None
    """What kind of error it was."""
    until: float = 0
    """When the trouble will be over, if that is known."""
    session: str = ""
    models: dict[str, Usage] = {}
    calls: int = 0
    tools: dict[str, int] = {}
    command: str = ""
    """How it was started."""
    prefix_hash: str = ""
    """Of the part of its prompt that is the same for every task."""


class AgentActed(Struct, frozen=True):
    """What a running agent is doing; the ledger keeps the first of it, bounded."""

    iteration: int
    kind: ActivityKind
    text: str = ""
    tool: str = ""


class AskedAgain(Struct, frozen=True):
    """The agent is started once more inside the same iteration."""

    iteration: int
    task: str
    why: str


class AgentSwitched(Struct, frozen=True):
    """The next agent of the chain takes over."""

    iteration: int
    agent: str
    to: str
    why: str


class Claimed(Struct, frozen=True):
    iteration: int
    claims: tuple[Claim, ...]


class PutBack(Struct, frozen=True):
    """The agent changed something that is not its to change; it was restored."""

    iteration: int
    path: str
    why: str
    salvage: str = ""


class PlanEditApplied(Struct, frozen=True):
    """A person said that an edit of the plan that was put back is to count after all."""

    salvage: str


class Verified(Struct, frozen=True):
    iteration: int
    verdict: Verdict


class AboutToCommit(Struct, frozen=True):
    iteration: int
    task: str
    commit: str
    tree: str
    branch: str
    base: str
    level: Level = Level.GREEN
    untested: bool = False


class Settled(Struct, frozen=True):
    iteration: int
    task: str
    commit: str
    level: Level
    kind: Kind = Kind.FEATURE
    area: str = ""
    untested: bool = False
    """No test fails without the change: it is shown as unproven."""
    accepted_by: str = ""
    """Who said that it counts, if the checks did not."""


class IterationEnded(Struct, frozen=True):
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
    counts: bool = True
    """Whether it was an attempt at the task; not if the agent could not even work."""
    handoff: HandoffTrigger | None = None
    """Why a fresh agent takes over the task, if this one was asked to hand it over."""


class Decided(Struct, frozen=True):
    iteration: int
    action: Action
    why: str
    until: float = 0
    """With WAIT: how long."""


class Waited(Struct, frozen=True):
    seconds: float
    why: str
    room: bool = False
    """For room on a disk."""


class Escalated(Struct, frozen=True):
    question: Question


class Answered(Struct, frozen=True):
    question: str
    reply: Reply
    by: str


class TaskSkipped(Struct, frozen=True):
    task: str
    why: str
    by: str


class PlanMarked(Struct, frozen=True):
    """What a person wanted of these tasks now stands in the plan."""

    tasks: tuple[str, ...]
    commit: str = ""
    skipped: tuple[str, ...] = ()
    """Those of them that nobody works on any more."""


class TaskRetried(Struct, frozen=True):
    task: str
    feedback: str
    by: str
    fresh: bool = False
    """Without the unfinished work that is kept of it."""


class Salvaged(Struct, frozen=True):
    ref: str
    commit: str
    why: str
    task: str = ""
    iteration: int = 0


class RolledBack(Struct, frozen=True):
    task: str
    to: str
    why: str
    salvage: str = ""


class Reverted(Struct, frozen=True):
    iteration: int
    to: str
    salvage: str
    reopened: tuple[str, ...]
    by: str


class Squashed(Struct, frozen=True):
    commit: str
    salvage: str
    tasks: tuple[str, ...]
    by: str


class CommandRefused(Struct, frozen=True):
    """A command that is for people was called from inside a run."""

    command: str
    task: str = ""
    iteration: int = 0
    by: str = ""
    """The agent at work."""


class Recovered(Struct, frozen=True):
    iteration: int
    task: str
    how: str


class Noted(Struct, frozen=True):
    """What an agent added to progress.md."""

    iteration: int
    text: str = ""
    patterns: tuple[str, ...] = ()


class CheckpointMade(Struct, frozen=True):
    """The branch's head got a ref of its own."""

    iteration: int
    ref: str
    commit: str


class LedgerRewritten(Struct, frozen=True):
    """Secrets were masked in what had been recorded before: from there on hashes are new ones."""

    by: str
    values: int
    """How many secrets were masked."""
    events: int
    """In how many events."""
    first: int
    """The first of them; all from there to here have another hash than before."""
    head: str
    """The hash of the last event before that."""
    earlier: str
    """Proves the list of earlier hashes, by which commits name places in the ledger."""
    kinds: dict[str, int] = {}


Event: TypeAlias = (
    RunStarted
    | RunEnded
    | PauseRequested
    | ResumeRequested
    | StopRequested
    | BaseChecked
    | IterationStarted
    | AgentActed
    | AgentFinished
    | AgentSwitched
    | AskedAgain
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
    | CommandRefused
    | Recovered
    | Noted
    | CheckpointMade
    | LedgerRewritten
    | DeliveryFailed
    | Attended
)

EVENTS: dict[str, type[Event]] = {kind.__name__: kind for kind in Event.__args__}


class Recorded(Struct, frozen=True):
    """An event with its place in the ledger."""

    seq: int
    at: float
    """Seconds since the epoch, by the wall clock; for people, never for deciding who is first."""
    project: str
    run: str
    event: Event
    prev: str = ""
    hash: str = ""
