"""A house put together for tests: real git, a ledger in memory, an agent in this process."""

from __future__ import annotations

import asyncio
import json
import subprocess
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from ralph.agents import Agent
from ralph.agents.scripted import ScriptedAgent
from ralph.checks.commands import Checker
from ralph.domain.event import IterationStarted
from ralph.domain.settings import (
    LoopSettings,
    SafetySettings,
    Sandbox,
    Settings,
    VerificationSettings,
)
from ralph.domain.task import shell
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger
from ralph.loop.control import Control
from ralph.loop.drive import drive
from ralph.loop.recover import crashed
from ralph.loop.run import Asked, Run
from ralph.loop.views import Views
from ralph.people.terminal import Inbox
from ralph.plans import open_plan
from ralph.prompts.template import load
from ralph.proof.held_out import HeldOutChecks
from ralph.proof.lab import Lab
from ralph.repo import CleanCheckout, GitWorkspace, Repo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph.agents.line import Line
    from ralph.domain.answer import Answer
    from ralph.domain.event import Event, Recorded
    from ralph.domain.job import Job
    from ralph.domain.question import Question, Reply
    from ralph.domain.state import RunState
    from ralph.loop.ports import People, Prover, Workspace

E = TypeVar("E")

BRANCH = "ralph/x"
CHECK = "test ! -e broken"


class Killed(BaseException):
    """Stands for `kill -9`: nothing in the loop may catch it."""


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


class Acting:
    """An agent that calls a function of the test in its workspace and says what it returns."""

    name = "acting"

    def __init__(self, *acts: Callable[[Job], str]) -> None:
        self._acts = list(acts)
        self.jobs: list[Job] = []

    def check(self) -> None:
        return

    async def run(self, job: Job, line: Line) -> Answer:
        from ralph.domain.answer import Answer, Ended

        self.jobs.append(job)
        act = self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]
        text = act(job)
        await asyncio.sleep(0)
        return Answer(text, Ended.EXITED, 0, 0.1)


class Person:
    """Answers every question with the next of these replies."""

    def __init__(self, *replies: Reply | None) -> None:
        self._replies = list(replies)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Reply | None:
        self.asked.append(question)
        return self._replies.pop(0)


def working(*names: str, say: str = "Task {} complete") -> dict[str, Any]:
    """A script that writes the file of each task and says it is done."""
    turns = {
        name: [{"write": {f"{name}.txt": f"{name}\n"}, "say": say.format(name)}] for name in names
    }
    return {"tasks": turns}


def story(name: str, *depends_on: str) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Write {name}",
        "description": "",
        "criteria": [],
        "passes": False,
        "depends_on": list(depends_on),
    }


def does(name: str, *, say: str = "Task {} complete", text: str = "done\n") -> Callable[[Job], str]:
    def act(job: Job) -> str:
        (Path(job.workspace) / f"{name}.txt").write_text(text)
        return say.format(job.task)

    return act


def when(kind: type[Event], act: Callable[[], object]) -> Callable[[Recorded], None]:
    """Act at the first event of this kind."""
    waiting = [act]

    def watch(recorded: Recorded) -> None:
        if isinstance(recorded.event, kind) and waiting:
            waiting.pop()()

    return watch


@dataclass
class Place:
    """A repository with a plan, and the ledger that outlives its runs."""

    verification = VerificationSettings()
    """How its checks are called, unless by `check`."""

    folder: Path
    stories: list[dict[str, Any]]
    loop: LoopSettings = field(default_factory=lambda: LoopSettings(backoff_cap_seconds=0))
    worktree: bool = False
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    clock: Clock = field(default_factory=Clock)
    runs: int = 0
    check: str = CHECK
    judge: Agent | None = None
    environment: dict[str, str] | None = None
    """What checks see instead of this process's own variables."""

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.write_plan(self.stories)
        (self.root / "README.md").write_text("# Place\n")
        with (self.root / ".gitignore").open("a") as ignored:
            ignored.write(".ralph/\n.agent/\n")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")

    @property
    def root(self) -> Path:
        return self.folder / "project"

    @property
    def workspace(self) -> Path:
        return self.folder / "state" / "workspace" if self.worktree else self.root

    @property
    def state(self) -> RunState:
        return Journal(self.ledger.peer(), "p", "", self.clock).state

    def git(self, *arguments: str, where: Path | None = None) -> str:
        done = subprocess.run(
            ("git", *arguments), cwd=where or self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write_plan(self, stories: list[dict[str, Any]]) -> None:
        plan = {"project": "Place", "description": "", "userStories": stories}
        (self.root / "PRD.json").write_text(json.dumps(plan, indent=2) + "\n")

    def passed(self) -> list[str]:
        text = self.git("show", f"{BRANCH}:PRD.json")
        return [s["id"] for s in json.loads(text)["userStories"] if s["passes"]]

    def subjects(self) -> list[str]:
        return self.git("log", "--reverse", "--format=%s", f"main..{BRANCH}").splitlines()

    def events(self, *kinds: type[E]) -> list[E]:
        found = (r.event for r in self.ledger.peer().read("p"))
        return [event for event in found if isinstance(event, kinds)]

    def kinds(self) -> list[str]:
        return [type(r.event).__name__ for r in self.ledger.peer().read("p")]

    def record(self, *events: Event) -> None:
        """As another process would."""
        Journal(self.ledger.peer(), "p", f"r{self.runs}", self.clock).record(*events)

    def opened(
        self,
        agent: ScriptedAgent | Acting,
        people: People | None = None,
        asked: Asked | None = None,
        chain: Sequence[Agent] = (),
    ) -> Run:
        self.runs += 1
        # agents that act in this very process cannot be confined; journeys show the walls
        safety = SafetySettings(sandbox=Sandbox.OFF)
        proof = self.verification
        settings = replace(Settings(), loop=self.loop, safety=safety, verification=proof)
        commands = proof.commands
        if commands is None:
            commands = (shell(self.check),) if self.check else ()
        journal = Journal(self.ledger.peer(), "p", f"r{self.runs}", self.clock)
        reopen = partial(self.placed, settings, journal)
        workspace, prover = self.placed(settings, journal, killed=crashed(journal.state))
        return Run(
            settings=settings,
            asked=replace(asked or Asked(), commands=commands),
            root=self.root,
            workspace=workspace,
            reopen=reopen,
            prover=prover,
            plan=open_plan("PRD.json", self.root),
            branch_plan=open_plan("PRD.json", self.root) if self.worktree else None,
            agents=tuple(chain) or (agent,),
            people=people or Inbox(),
            asks=people is not None,
            templates=load(self.root, settings.prompts),
            journal=journal,
            control=Control(journal),
            held_out=HeldOutChecks(proof.held_out, self.root),
            judge=self.judge,
            clock=self.clock,
            jitter=lambda: 0.5,
        )

    def placed(
        self, settings: Settings, journal: Journal, *, killed: bool = False
    ) -> tuple[Workspace, Prover]:
        """Where agents work, and what proves it: git and processes are real."""
        repo, state = Repo.open(self.root, to_write=False), self.folder / "state"
        workspace = self._left(repo, journal) if killed else self._open(repo, journal.run)
        checkout = CleanCheckout(repo, state / "checkout")
        checker = Checker(settings.verification, self.root, base=self.environment)
        logs = self.root / settings.logs.dir
        return workspace, Lab(settings.verification, repo, workspace, checkout, checker, logs)

    def run(
        self,
        agent: ScriptedAgent | Acting | dict[str, Any],
        people: People | None = None,
        asked: Asked | None = None,
        *,
        chain: Sequence[Agent] = (),
        watch: Callable[[Recorded], None] | None = None,
    ) -> int:
        double = ScriptedAgent(agent) if isinstance(agent, dict) else agent

        async def go() -> int:
            run = self.opened(double, people, asked, chain)
            Views(run).load()
            if watch is not None:
                run.journal.watch(watch)
            return await drive(run)

        return asyncio.run(go())

    def _open(self, repo: Repo, run_id: str) -> GitWorkspace:
        state = self.folder / "state"
        dirt = {"PRD.json"}
        if self.worktree:
            return GitWorkspace.worktree(
                repo, BRANCH, self.workspace, state_dir=state, run=run_id, allowed_dirt=dirt
            )
        return GitWorkspace.in_place(repo, BRANCH, state_dir=state, run=run_id, allowed_dirt=dirt)

    def _left(self, repo: Repo, journal: Journal) -> GitWorkspace:
        last = journal.state.run
        return GitWorkspace.resume(
            repo,
            last.branch,
            state_dir=self.folder / "state",
            run=journal.run,
            path=self.workspace if self.worktree else None,
            untracked=last.untracked,
        )

    def starts(self) -> list[IterationStarted]:
        return self.events(IterationStarted)
