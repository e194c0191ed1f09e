"""What the loop needs from the rooms that have more than one way of doing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from msgspec import Struct

from ralph.domain.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.domain.activity import Activity
    from ralph.domain.plan import Plan
    from ralph.domain.question import Question, Reply
    from ralph.domain.task import Command, Status
    from ralph.domain.trial import Trial
    from ralph.domain.verdict import Verdict
    from ralph.proof.subject import Subject
    from ralph.repo import Workspace


PlanFiles: TypeAlias = Mapping[str, bytes]
"""The plan's files by their path relative to the root they were read from."""


class PlanFormat(Protocol):
    """One way to write a plan. Reading is fresh every time; editing keeps every other byte."""

    source: str
    """What to call the plan in messages: its path as the user gave it."""

    def files(self, root: Path) -> PlanFiles:
        """The plan's files below `root` as they are now; a PlanError if there are none."""

    def parse(self, files: PlanFiles) -> Plan:
        """The plan, its graph checked; a PlanError names file, task and field."""

    def mark(self, files: PlanFiles, statuses: Mapping[str, Status]) -> PlanFiles:
        """The files that change when these tasks get these statuses, with their new bytes."""


class Prover(Protocol):
    """Says what is true of a candidate, by experiment."""

    notes: tuple[str, ...]
    """What every verdict mentions."""
    hidden_logs: Path
    """Logs that agents do not see."""

    def over(self, workspace: Workspace) -> Prover:
        """The same with another workspace, before anything was tried."""

    def within(self, wrap: Callable[[Runner], Runner]) -> Runner:
        """From now on every check is run by this, around what ran it before."""

    def ignored(self) -> tuple[str, ...]:
        """What git ignores in the user's checkout."""

    def mention(self, *notes: str) -> None:
        """From now on every verdict says this, too."""

    async def equip(self, root: Path) -> None:
        """Bring dependencies to an agent's own worktree."""

    async def prepare(self, commit: str) -> Path:
        """Make a clean checkout of this commit, with the user's dependencies beside it."""

    async def base(self, commit: str, commands: tuple[Command, ...], *, before: float = 0) -> Trial:
        """The checks on the commit that the work begins with."""

    async def passes(self, commit: str, command: Command, name: str) -> bool:
        """Whether one check passes on a commit."""

    def clean(self) -> None:
        """Take away what earlier checks left in the clean checkout."""

    async def prove(self, subject: Subject) -> Verdict:
        """Try a candidate, and say what that proves."""


class Order(Struct, frozen=True):
    """What is to be done about an agent at work."""

    text: str = ""
    """Tell it this, in its own context."""
    stop: bool = False
    """End it."""
    why: str = ""
    trouble: TroubleKind | None = None
    """With a stop: what kind of trouble the agent then had, if it is to count as trouble."""


class Watcher(Protocol):
    """Looks after an agent while it works, and writes down itself what it finds."""

    def heard(self, activity: Activity, now: float) -> None:
        """The agent did something. `now` only ever goes forward: it is no time of day."""

    def look(self, now: float) -> Order | None:
        """Called after each activity and about once a second."""


class People(Protocol):
    """How to reach a person."""

    async def ask(self, question: Question) -> Reply | None:
        """The answer, or None if nobody answered in time."""
