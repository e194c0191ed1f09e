from __future__ import annotations

from msgspec import Struct, field

from ralph.domain.claim import Claim
from ralph.domain.usage import Usage
from ralph.domain.verdict import UNTRIED, Level, Verdict

ACCEPTED = "accepted"
"""Who works when a person accepted earlier work: nobody, it is only brought back."""


class IterationRecord(Struct, frozen=True):
    """Everything about one iteration, put together from its events."""

    iteration: int
    run: str
    task: str
    title: str
    attempt: int
    agent: str
    trigger: str
    started_at: float
    base: str
    guided: bool = False
    ended_at: float = 0
    outcome: str = ""
    """Empty while the iteration runs."""
    why: str = ""
    commit: str = ""
    level: Level = Level.NONE
    tree: str = ""
    files: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    verdict: Verdict = UNTRIED
    untested: bool = False
    accepted_by: str = ""
    """Who said that it counts, if the checks did not."""
    put_back: tuple[str, ...] = ()
    agent_ended: str = ""
    agent_exit: int | None = None
    agent_seconds: float = 0
    usage: Usage = field(default_factory=Usage)
    command: str = ""
    """How the agent was started."""
    models: tuple[str, ...] = ()
    """What answered it, where it tells."""
    session: str = ""
    """By this name the agent knows what was said."""
    log: str = ""
    prompt: str = ""
    prefix_hash: str = ""
    """Of the part of the prompt that is the same for every task."""
    feedback: str = ""
    summary: str = ""
    error: str = ""
    trouble: str = ""
    """What kind of error the agent itself had."""
    question: str = ""
    answer: str = ""
    """What a person said to it."""
    answered_by: str = ""
    salvage: str = ""
    checkpoint: str = ""
    """The id of what it left for the next agent to know."""
    phase: str = ""
    completed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    handoff: str = ""
    """Why a fresh agent took over, if one did."""
    health: str = "healthy"
    """Of its agent, as it was last seen."""
