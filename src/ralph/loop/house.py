"""Everything one run works with, put together once in `ui/wire.py`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.agents import Agent
from ralph.domain.decision import Decision
from ralph.domain.plan import Plan
from ralph.domain.settings import OnEscalation, Settings
from ralph.domain.task import Command
from ralph.ledger.journal import Journal
from ralph.loop.attempt import Attempt
from ralph.loop.confine import Confinement
from ralph.loop.control import Control
from ralph.loop.guard import Before
from ralph.loop.orchestrator import LoopOrchestrator
from ralph.loop.ports import People, PlanFormat
from ralph.loop.room import scarce
from ralph.policy.decide import Scene
from ralph.policy.remedy import pick
from ralph.policy.select import parked
from ralph.prompts.template import Templates
from ralph.proof.held_out import HeldOutChecks
from ralph.proof.lab import Lab
from ralph.repo import Repo, Workspace

if TYPE_CHECKING:
    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.ledger.spending import TokenEconomicsService


class Asked(Struct, frozen=True):
    """What the user asked of this run."""

    only: str = ""
    once: bool = False
    commands: tuple[Command, ...] = ()
    """The project's checks; a task's own replace them."""
    word: bool = False
    """Where there is no check, the agent's word counts for work that it did."""


class House(Struct, dict=True):
    settings: Settings
    asked: Asked
    root: Path
    """The user's checkout."""
    repo: Repo
    workspace: Workspace
    open_workspace: Callable[[], Workspace]
    """Opens it anew, once what a killed run left behind has been dealt with."""
    lab: Lab
    """Where candidates are tried."""
    plan: PlanFormat
    branch_plan: PlanFormat | None
    """In worktree mode: the same format over the branch's own copy of the plan."""
    agents: tuple[Agent, ...]
    """The chain, the preferred one first."""
    people: People
    asks: bool
    templates: Templates
    journal: Journal
    control: Control
    held_out: HeldOutChecks
    """Checks that agents never see."""
    judge: Agent | None
    """Who looks at a change that passed, and may speak against it."""
    clock: Callable[[], float]
    jitter: Callable[[], float]
    confinement: Confinement = Confinement()
    """The walls around agents and checks."""
    dirt: frozenset[str] = frozenset()
    """What differed from the head when the run began, and may."""
    before: Before | None = None
    """Protected things as the running agent found them; None once they are put back."""
    progress: str = ""
    """progress.md as it was last written."""
    asked_before: set[str] = field(default_factory=set)
    """Questions that this run need not put to the person at the terminal (again)."""
    work: set[asyncio.Task[None]] = field(default_factory=set)
    """Things on their way that nobody waits for."""
    brief: Callable[[Attempt], str] | None = None
    """What a flow tells every agent before all else."""
    halt: Callable[[Plan], Decision | None] | None = None
    """Ends the run for a reason of a flow's own."""
    chores: list[Callable[[], None]] = field(default_factory=list)
    """What can wait until the next agent is at work, or the run rests."""

    @cached_property
    def orchestrator(self) -> LoopOrchestrator:
        """The life of this run in the ledger."""
        return LoopOrchestrator(self.journal, self.settings, self.clock)

    @property
    def checkpoints(self) -> CheckpointService:
        return self.orchestrator.checkpoints

    @property
    def economics(self) -> TokenEconomicsService:
        """What was spent, and what may still be."""
        return self.orchestrator.economics

    def catch_up(self) -> None:
        """Do what could wait."""
        while self.chores:
            self.chores.pop(0)()

    @property
    def state(self) -> RunState:
        return self.journal.state

    @property
    def run_id(self) -> str:
        return self.journal.run

    def scene(self, plan: Plan) -> Scene:
        return Scene(
            plan,
            now=self.clock(),
            jitter=self.jitter(),
            asks=self.asks,
            only=self.asked.only,
            once=self.asked.once,
            unasked=frozenset(self.state.questions) - self.asked_before,
            aborts=self.settings.loop.on_escalation is OnEscalation.ABORT,
            agents=tuple(agent.name for agent in self.agents),
            budgets=self.economics.check_each(self._task_at_hand(plan)),
            task_budget=self.economics.task_budget,
            health=self.settings.health,
            scarce=scarce(self),
        )

    def _task_at_hand(self, plan: Plan) -> str:
        """The last task, as long as it is open: it will most likely be the next one."""
        known = plan.by_id.get(self.state.last_task)
        return known.id if known is not None and known.is_open else ""

    def agent(self) -> Agent:
        """Who works now: the first of the chain that can."""
        names = [agent.name for agent in self.agents]
        chosen = pick(names, self.state.agents, self.clock())
        return next((agent for agent in self.agents if agent.name == chosen), self.agents[0])

    def parked(self) -> frozenset[str]:
        return parked(self.state)

    def commands_for(self, task: Task) -> tuple[Command, ...]:
        return task.verify or self.asked.commands

    def prompt_before(self) -> bytes | None:
        """PROMPT.md as the running agent found it."""
        return self.before.protected.get(self.settings.prompts.file) if self.before else None

    def logs(self) -> Path:
        return self.root / self.settings.logs.dir

    def prompts(self) -> Path:
        return self.root / ".ralph" / "prompts"

    def progress_file(self) -> Path:
        return self.workspace.root / self.settings.memory.progress_file
