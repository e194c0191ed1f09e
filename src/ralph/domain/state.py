from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.checkpoint import HandoffTrigger
from ralph.domain.decision import StopReason
from ralph.domain.event import AboutToCommit, IterationStarted
from ralph.domain.health import Breaker, HealthState
from ralph.domain.question import Question, Reply
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level


class LoopState(StrEnum):
    """What a run is doing, or how it ended."""

    INITIALIZING = "initializing"
    RUNNING = "running"
    PAUSED = "paused"
    HANDOFF = "handoff"
    COMPLETING = "completing"
    COMPLETED = "completed"
    FAILED = "failed"
    TERMINATED = "terminated"


class RunPhase(StrEnum):
    """What a run is doing."""

    PREPARING = "preparing"
    """Dependencies, walls, and the checks on the commit that it begins with."""
    AGENT = "agent at work"
    CHECKING = "checking"
    SETTLING = "settling"


class TaskState(Struct):
    """What the ledger knows of one task."""

    attempts: int = 0
    failures: int = 0
    """In a row, since the last success, answer or retry."""
    signatures: list[str] = field(default_factory=list)
    """Of the failures in a row, oldest first, bounded."""
    trees: list[str] = field(default_factory=list)
    """What the attempts left behind, oldest first, bounded."""
    guidance: list[str] = field(default_factory=list)
    feedback: str = ""
    """What the next attempt must know of the last one; empty after a success."""
    fix_only: bool = False
    question: str = ""
    """The open question this task waits for."""
    accepted: str = ""
    """The ref of work that a person accepted and that is to be landed."""
    accepted_by: str = ""
    salvage: str = ""
    """The ref of unfinished work that the next attempt gets back."""
    abandoned: str = ""
    """The ref of work that was rolled back; it comes back only if a person says so."""
    commit: str = ""
    level: Level = Level.NONE
    untested: bool = False
    """No test fails without the change: it is shown as unproven."""
    skipped: str = ""
    """Why, if a person skipped it and the plan does not say so yet."""
    reopened: bool = False
    """The plan on the branch says that it is open again; copies elsewhere may not."""
    left_out: str = ""
    """Why a person skipped it, also once the plan says so."""
    reopen: bool = False
    """A person wants it worked on again, whatever the plan says."""
    fresh: bool = False
    """And without its unfinished work."""
    interrupted: int = 0
    cost: float = 0
    """US dollars over all attempts, running ones included, since a person last allowed more."""
    handoff: HandoffTrigger | None = None
    """Why the next agent takes it over, if the last one handed it over."""
    handoffs: int = 0
    """In a row, without an attempt that ended otherwise."""
    handoff_trees: list[str] = field(default_factory=list)
    """What those agents left behind, oldest first, bounded."""
    checkpoint: str = ""
    """The id of its newest checkpoint; empty once it is done or its work was rolled back."""


class OpenQuestion(Struct):
    question: Question
    at: float
    reply: Reply | None = None
    by: str = ""


class AgentState(Struct):
    """What is known of an agent's own trouble; one that works has none."""

    kind: TroubleKind | None = None
    why: str = ""
    at: float = 0
    until: float = 0
    failures: int = 0
    """In a row."""


class CollectedFollowUp(Struct, frozen=True):
    """A task that an agent suggested, for a person to decide about."""

    iteration: int
    task: str
    """The one the agent worked on."""
    title: str
    text: str = ""


class Word(Struct, frozen=True):
    """What a person wants the agent at work to know."""

    text: str
    by: str


class RunInfo(Struct):
    """The current run, or the last one."""

    id: str = ""
    plan: str = ""
    goal: str = ""
    branch: str = ""
    base: str = ""
    agent: str = ""
    workspace: str = ""
    worktree: bool = False
    pid: int = 0
    host: str = ""
    started_at: float = 0
    ended_at: float = 0
    reason: StopReason | None = None
    why: str = ""
    after: StopReason | None = None
    """Why the run before it ended."""
    untracked: tuple[str, ...] = ()
    dirt: tuple[str, ...] = ()
    max_cost: float | None = None
    """Its own limit in US dollars; 0 for none, None where it is not known."""
    iterations: int = 0
    completed: int = 0
    failures: int = 0
    """In a row, over all tasks."""
    agent_failures: int = 0
    """In a row: the agent's own, which back-off follows."""
    backed_off: bool = False
    """The last iteration was followed by a wait."""
    scarce: bool = False
    """The next iteration has been waited for because a disk was nearly full."""
    throttled: bool = False
    """The next iteration has been waited for because of a budget."""
    since_completed: int = 0
    """Iterations since the last finished task."""
    phase: RunPhase | None = None
    """Between iterations it has none."""
    phase_at: float = 0
    """Since when."""
    waits: str = ""
    """What it waits for, and what ends that, while it does."""
    waited: float = 0
    working: float = 0
    """Seconds that iterations took."""
    usage: Usage = field(default_factory=Usage)
    running: Usage = field(default_factory=Usage)
    """What the agent at work has used so far; its end adds it to `usage`."""
    context: float = 0
    """The share of its context that the last agent told of."""
    health: HealthState = HealthState.HEALTHY
    """Of the last agent that worked."""
    handoff: HandoffTrigger | None = None
    """Why the agent at work was asked to hand over."""
    handoffs: int = 0
    nudges: int = 0
    """Of the agent at work."""
    words: list[Word] = field(default_factory=list)
    """What people want the agent at work to know, oldest first."""
    more_time: int = 0
    """How often a person gave the agent at work more time."""
    relieve: str = ""
    """Who wants the agent at work to hand over, if anyone does."""
    dismiss: str = ""
    """Who wants the agent at work to be ended, if anyone does."""
    terminations: int = 0
    """Agents in a row that were ended for their health."""
    paused: bool = False
    paused_at: float = 0
    stop: str = ""
    """Who asked to stop, if anyone did."""
    stop_now: bool = False


class Metrics(Struct):
    """Counted over the life of the project."""

    iterations: int = 0
    successes: int = 0
    failures: int = 0
    errors: int = 0
    """Failures of the agent itself."""
    checkpoints: int = 0
    """For fresh agents to continue from."""
    git_checkpoints: int = 0
    rollbacks: int = 0
    usage: Usage = field(default_factory=Usage)
    working: float = 0
    recoveries: int = 0
    """Tasks that failed and then succeeded."""
    recovery_seconds: float = 0
    """Time from the first failure to the success, summed over `recoveries`."""


class Feature(Struct):
    """What belongs to one branch: put aside when a run works on another, and taken up again."""

    origin: str = ""
    tasks: dict[str, TaskState] = field(default_factory=dict)
    questions: dict[str, OpenQuestion] = field(default_factory=dict)
    commits: dict[int, str] = field(default_factory=dict)
    settled: dict[int, str] = field(default_factory=dict)
    failing_since: dict[str, float] = field(default_factory=dict)
    verified: str = ""
    area: str = ""
    plan_edit: str = ""
    follow_ups: list[CollectedFollowUp] = field(default_factory=list)


class RunState(Struct):
    """The fold of a project's events: all that decisions are made from."""

    seq: int = 0
    head: str = ""
    """Hash of the last event that was folded."""
    iteration: int = 0
    run: RunInfo = field(default_factory=RunInfo)
    tasks: dict[str, TaskState] = field(default_factory=dict)
    questions: dict[str, OpenQuestion] = field(default_factory=dict)
    """Open ones; an answered question leaves its trace in the task."""
    question_count: int = 0
    open_iteration: IterationStarted | None = None
    committing: AboutToCommit | None = None
    commits: dict[int, str] = field(default_factory=dict)
    """Settled iterations and their commits, in order."""
    settled: dict[int, str] = field(default_factory=dict)
    """Settled iterations and their tasks."""
    verified: str = ""
    """The last verified commit on the branch."""
    area: str = ""
    """Of the last finished task."""
    last_task: str = ""
    """Of the last iteration."""
    holding: str = ""
    """The task whose unfinished work is in the workspace."""
    edits: str = ""
    """A commit of what the user had edited when that work began, if anything."""
    outputs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    successes: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    failing_since: dict[str, float] = field(default_factory=dict)
    last_outcome: str = ""
    last_why: str = ""
    looping: bool = False
    plan_edit: str = ""
    """The ref of a plan edit that a person wants applied."""
    follow_ups: list[CollectedFollowUp] = field(default_factory=list)
    """Oldest first, bounded. Nothing is decided from them."""
    origin: str = ""
    """The commit the branch started from."""
    features: dict[str, Feature] = field(default_factory=dict)
    """Other branches of this project: their tasks may have the same ids."""
    metrics: Metrics = field(default_factory=Metrics)
    breaker: Breaker = field(default_factory=Breaker)
    checkpoint: str = ""
    """The id of the newest checkpoint."""
    agents: dict[str, AgentState] = field(default_factory=dict)
    """Those that had trouble of their own when they were last asked."""

    def task(self, name: str) -> TaskState:
        return self.tasks.setdefault(name, TaskState())

    def known(self, name: str) -> TaskState:
        """What is known of a task, without making an entry for it."""
        return self.tasks.get(name) or TaskState()
