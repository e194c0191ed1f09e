"""What passes from one word of the sentence to the next."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.checkpoint import Checkpoint, Contribution, HandoffTrigger
from ralph.domain.decision import Outcome
from ralph.domain.event import Settled
from ralph.domain.plan import Plan
from ralph.domain.question import Question
from ralph.domain.task import Task
from ralph.repo import Candidate


class Again(StrEnum):
    """Why the agent is asked once more inside the same iteration."""

    FAILED = "failed"
    UNCLAIMED = "unclaimed"
    UNTESTED = "untested"
    """No test shows that the work was needed."""


class Attempt(Struct, frozen=True):
    """One iteration on its way."""

    iteration: int
    task: Task
    plan: Plan
    number: int
    base: str
    began: float
    retry: int = 0
    again: Again | None = None
    asked: frozenset[Again] = frozenset()
    """Every reason for which it was asked once more."""
    feedback: str = ""
    agent: str = ""
    """Who worked last in this iteration, and in which session: a retry goes on there."""
    session: str = ""
    checkpoint: Checkpoint | None = None
    """What an earlier agent left for this one to know."""
    said: Contribution = field(default_factory=Contribution)
    """What this one said for the next before it was asked once more."""
    accepted: str = ""
    """Work that a person accepted: it is landed instead of starting an agent."""


class Proof(Struct, frozen=True):
    """A candidate commit and the bytes of the plan that landing it writes."""

    candidate: Candidate
    files: tuple[str, ...] = ()
    """What the agent changed, the plan's own files apart."""
    inside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files as the candidate has them."""
    outside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files elsewhere on the disk: written when the candidate has landed."""


class Result(Struct, frozen=True):
    """What came of an iteration."""

    outcome: Outcome
    why: str
    signature: str = ""
    feedback: str = ""
    fix_only: bool = False
    agent_failed: bool = False
    counts: bool = True
    settled: Settled | None = None
    """The landing, which is written down together with the iteration's end."""
    reopened: tuple[str, ...] = ()
    """Tasks that were finished before and are broken now."""
    question: Question | None = None
    handoff: HandoffTrigger | None = None
    """Why a fresh agent goes on with the task."""
