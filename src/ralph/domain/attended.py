"""Events of what was seen and done about an agent while it worked."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from ralph.domain.budget import BudgetAction, Scope
from ralph.domain.checkpoint import Checkpoint, HandoffTrigger
from ralph.domain.health import HealthState, InterventionLevel
from ralph.domain.usage import Usage


class CheckpointSaved(Struct, frozen=True):
    """What the next agent needs to continue."""

    iteration: int
    task: str
    checkpoint: Checkpoint


class AgentSpent(Struct, frozen=True):
    """All that a running agent process has used so far; its end replaces it."""

    iteration: int
    task: str
    usage: Usage
    context: float = 0
    """The share of its context that is in use, where that is known."""
    agent: str = ""
    """Who it is, if not the one that works on the task."""
    ended: bool = False
    """Nothing more comes of it: a judge has no end of its own to tell."""


class HealthChanged(Struct, frozen=True):
    iteration: int
    task: str
    before: HealthState
    now: HealthState
    why: str
    progress: float = 0
    """When its work last moved, as far as that is known."""


class Intervened(Struct, frozen=True):
    """A running agent was reminded, reported or ended."""

    iteration: int
    task: str
    level: InterventionLevel
    why: str
    """Which sign was seen, its value and its threshold."""
    text: str = ""
    """What the agent was told."""
    number: int = 0
    """With a nudge: which one of this agent's; 0 for one of a person's."""
    by: str = ""
    """The person who asked for it, if one did."""


class HandoffAsked(Struct, frozen=True):
    """The running agent was told to hand its task over."""

    iteration: int
    task: str
    trigger: HandoffTrigger
    value: float
    threshold: float
    why: str


class NudgeRequested(Struct, frozen=True):
    """A person has a word for the agent at work."""

    task: str
    text: str
    by: str


class HandoffRequested(Struct, frozen=True):
    """A person wants the agent at work to hand over now."""

    task: str
    by: str


class BudgetNoticed(Struct, frozen=True):
    """A budget is near its end or used up."""

    scope: Scope
    action: BudgetAction
    used: float
    limit: float
    why: str
    iteration: int = 0
    task: str = ""
    seconds: float = 0
    """With a throttle: the delay."""


class HostRefused(Struct, frozen=True):
    """An agent asked for a host that `safety.network: model-only` does not let it reach."""

    iteration: int
    host: str


Attended: TypeAlias = (
    AgentSpent
    | BudgetNoticed
    | CheckpointSaved
    | HandoffAsked
    | HandoffRequested
    | HealthChanged
    | HostRefused
    | Intervened
    | NudgeRequested
)
