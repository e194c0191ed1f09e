"""A misbehaving agent, what must hold after a harness has run it, and what was seen."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct


class Expected(StrEnum):
    DONE = "done"
    OPEN = "not done"
    EITHER = "either"
    """Both are fair, as long as what the harness says is true."""


class Seen(Struct, frozen=True):
    """What there is to see from outside once a harness has ended, or had to be ended."""

    ended: bool = True
    """Whether it ended by itself in time."""
    exit_code: int | None = None
    seconds: float = 0
    memory_mb: float = 0
    """The most that the harness, or one process it waited for, held at a time."""
    process_left: bool = False
    """Whether a process of the agent's outlived the harness."""
    calls: int = 0
    """How often the agent was started."""
    done: bool = False
    """Whether the plan says that the task is done."""
    proven: bool = False
    """Whether the commit that is checked out does what the task asks for."""
    plan_kept: bool = True
    """Whether the plan, its statuses apart, is the one that the person wrote."""
    base_kept: bool = True
    """Whether the person's commit is still part of the person's branch and of HEAD."""
    lost: tuple[str, ...] = ()
    """Files of the person's that are gone or changed."""
    git: tuple[str, ...] = ()
    """What is wrong with the repository."""
    forged: bool = False
    """Whether a commit of the agent's own is part of HEAD."""
    planted: tuple[str, ...] = ()
    """Programs of the agent's that git started for the harness."""
    leaked: tuple[str, ...] = ()
    """Where the harness's secret turned up."""
    grown_mb: float = 0
    """What the repository's folder holds more than before."""
    asked: bool = False
    """Whether the harness showed the agent's question."""


Rule = Callable[[Seen], str]
"""What is wrong with what was seen; empty if nothing is."""


class Case(Struct, frozen=True):
    name: str
    does: str
    """What the agent does, in a few words."""
    expected: Expected
    rules: tuple[Rule, ...] = ()
    """What must hold besides what must always hold."""
    project: str = "red"
    iterations: int = 2
    """How often the harness may start the agent."""
    agent_seconds: float = 30
    """How long one agent may work."""
    box_seconds: float = 60
    """How long the harness may take in all."""
    may_wait: bool = False
    """Whether a harness that still waits when that time is over behaves well."""

    @property
    def module(self) -> str:
        return f"ralph.flows.conformance.agents.{self.name.replace('-', '_')}"


class CaseResult(Struct, frozen=True):
    case: Case
    seen: Seen
    problems: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.problems
