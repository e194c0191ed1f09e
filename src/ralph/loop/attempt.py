"""What passes from one word of the sentence to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class Attempt:
    """One iteration on its way."""

    iteration: int
    task: Task
    plan: Plan
    number: int
    base: str
    began: float
    retry: int = 0
    again: Again | None = None
    feedback: str = ""
    accepted: str = ""
    """Work that a person accepted: it is landed instead of starting an agent."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A candidate commit and the bytes of the plan that landing it writes."""

    candidate: Candidate
    files: tuple[str, ...] = ()
    """What the agent changed, the plan's own files apart."""
    inside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files as the candidate has them."""
    outside: Mapping[str, bytes] = field(default_factory=dict)
    """Plan files elsewhere on the disk: written when the candidate has landed."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an iteration."""

    outcome: Outcome
    why: str
    signature: str = ""
    feedback: str = ""
    fix_only: bool = False
    agent_failed: bool = False
    settled: Settled | None = None
    """The landing, which is written down together with the iteration's end."""
    question: Question | None = None
