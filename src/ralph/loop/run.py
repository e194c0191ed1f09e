"""What one run works with: put together in `ui/wire.py`, and the same until the run ends.

Nothing of a single task is here: that is in `Iteration`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.agents import Agent
from ralph.domain.decision import Decision
from ralph.domain.plan import Plan
from ralph.domain.question import QuestionKind
from ralph.domain.settings import Settings
from ralph.domain.task import Command
from ralph.ledger.journal import Journal
from ralph.loop.confine import Confinement
from ralph.loop.control import Control
from ralph.loop.iteration import Iteration
from ralph.loop.life import Life
from ralph.loop.ports import People, PlanFormat, Prover, Workspace
from ralph.policy.remedy import pick
from ralph.prompts.template import Templates
from ralph.proof.held_out import HeldOutChecks

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.ledger.spending import TokenEconomicsService


class Errands:
    def __init__(self) -> None:
        self._chores: list[Callable[[], None]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def later(self, chore: Callable[[], None]) -> None:
        """Do it when the next agent is at work, or the run rests."""
        self._chores.append(chore)

    def catch_up(self) -> None:
        """Do what was put off."""
        while self._chores:
            self._chores.pop(0)()

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Do it beside the loop."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def finish(self) -> None:
        """Wait for what is still under way; how it ended is its own business."""
        await asyncio.gather(*self._under_way, return_exceptions=True)


class Asked(Struct, frozen=True):
    """What the user asked of this run."""

    only: str = ""
    once: bool = False
    commands: tuple[Command, ...] = ()
    """The project's checks; a task's own replace them."""
    word: bool = False
    """Where there is no check, the agent's word counts for work that it did."""


class FlowHooks(Struct, frozen=True):
    """What a way of using the loop adds to it."""

    brief: Callable[[Iteration], str] | None = None
    """Tells every agent this before all else."""
    halt: Callable[[Plan], Decision | None] | None = None
    """Ends the run for a reason of its own."""
    may_commit: bool = False
    """Agents may commit: where their work passes, it lands in their words and under their name."""


class Notebook:
    """progress.md as it was last written: whatever else stands there was added by an agent."""

    def __init__(self) -> None:
        self.text = ""


class Run(Struct, frozen=True, dict=True):
    settings: Settings
    asked: Asked
    root: Path
    """The user's checkout."""
    workspace: Workspace
    reopen: Callable[[], tuple[Workspace, Prover]]
    """Opens it anew, once what a killed run left behind has been dealt with."""
    prover: Prover
    """Says what is true of a candidate."""
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
    flow: FlowHooks = FlowHooks()
    confinement: Confinement = Confinement()
    """The walls around agents and checks."""
    times_asked: Counter[str] = field(default_factory=Counter)
    """How often this run has put a question to the person at the terminal."""
    errands: Errands = field(default_factory=Errands)
    notebook: Notebook = field(default_factory=Notebook)

    @cached_property
    def life(self) -> Life:
        """What becomes of this run, in the ledger."""
        return Life(self.journal, self.settings, self.clock)

    @property
    def checkpoints(self) -> CheckpointService:
        return self.life.checkpoints

    @property
    def economics(self) -> TokenEconomicsService:
        """What was spent, and what may still be."""
        return self.life.economics

    @property
    def state(self) -> RunState:
        return self.journal.state

    @property
    def run_id(self) -> str:
        return self.journal.run

    def questions(self, times: int) -> tuple[str, ...]:
        """The open ones that this run has put to the person at the terminal so often."""
        open_ones = self.state.questions.items()
        return tuple(
            name
            for name, opened in open_ones
            if self.times_asked[name] == times and opened.question.kind is not QuestionKind.AGENT
        )

    def agent(self) -> Agent:
        """Who works now: the first of the chain that can."""
        names = [agent.name for agent in self.agents]
        chosen = pick(names, self.state.agents, self.clock())
        return next((agent for agent in self.agents if agent.name == chosen), self.agents[0])

    def commands_for(self, task: Task) -> tuple[Command, ...]:
        return task.verify or self.asked.commands

    def logs(self) -> Path:
        return self.root / self.settings.logs.dir

    def prompts(self) -> Path:
        return self.root / ".ralph" / "prompts"

    def progress_file(self) -> Path:
        return self.workspace.root / self.settings.memory.progress_file
