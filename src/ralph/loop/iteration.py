"""What passes from one word of the sentence to the next."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.answer import Answer
from ralph.domain.checkpoint import Checkpoint, Contribution, HandoffTrigger
from ralph.domain.claim import Claims
from ralph.domain.decision import Outcome
from ralph.domain.event import Settled
from ralph.domain.plan import Plan
from ralph.domain.question import Question
from ralph.domain.task import Task
from ralph.domain.verdict import UNTRIED, Verdict
from ralph.loop.guard import Before
from ralph.repo import Candidate


class Again(StrEnum):
    """Why the agent is asked once more inside the same iteration."""

    FAILED = "failed"
    UNCLAIMED = "unclaimed"
    UNTESTED = "untested"
    """No test shows that the work was needed."""


class Iteration(Struct, frozen=True):
    """One iteration on its way: a task, and what its agent starts from."""

    number: int
    task: Task
    plan: Plan
    attempt: int
    """How many iterations this task has had, with this one."""
    base: str
    """Where the branch is."""
    onto: str
    """The same with the user's own edits of plan and settings, which are no agent's work."""
    began: float
    before: Before
    """Protected things as the agent finds them."""
    retry: int = 0
    again: Again | None = None
    asked: frozenset[Again] = frozenset()
    """Every reason for which it was asked once more."""
    feedback: str = ""
    agent: str = ""
    """Who worked last in this iteration, and in which session: a retry continues there."""
    session: str = ""
    checkpoint: Checkpoint | None = None
    """What an earlier agent left for this one to know."""
    said: Contribution = field(default_factory=Contribution)
    """What this one said for the next before it was asked once more."""
    accepted: str = ""
    """Work that a person accepted: it is landed instead of starting an agent."""


class Heard(Struct, frozen=True):
    """What the agent said, and what that means for the task."""

    answer: Answer
    claims: Claims
    handoff: HandoffTrigger | None = None
    """Why a fresh agent takes the task over, if one does."""


class Proof(Struct, frozen=True):
    """A candidate commit, the bytes of the plan that landing it writes, and the verdict on it."""

    candidate: Candidate
    files: tuple[str, ...] = ()
    """What the agent changed, the plan's own files apart."""
    inside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files as the candidate has them."""
    outside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files elsewhere on the disk: written when the candidate has landed."""
    verdict: Verdict = UNTRIED


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
    """Why a fresh agent continues with the task."""
