"""Everything one review works with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ralph.agents import Agent
from ralph.checks.commands import Checker
from ralph.domain.settings import Settings
from ralph.domain.task import Command
from ralph.flows.outlay import Outlay
from ralph.loop.confine import Confinement
from ralph.repo import Repo


class ReviewBench(Struct, frozen=True):
    settings: Settings
    repo: Repo
    folder: Path
    """What is kept for reviews, outside of the repository."""
    agents: tuple[Agent, ...]
    """The chain: the second try of a question goes to the next one."""
    checker: Checker
    commands: tuple[Command, ...]
    """The project's checks; none means that only reviewers judge a fix."""
    clock: Callable[[], float]
    """The time of day, for what is written down."""
    jitter: Callable[[], float]
    tell: Callable[[str], None]
    """Shows a line to the person who is watching."""
    outlay: Outlay
    """What reviewers and fixing agents use."""
    confinement: Confinement = Confinement()
    """Walls around its agents and checks."""
    side_by_side: int = 2
    """Agents at a time."""

    @property
    def root(self) -> Path:
        return self.repo.root

    def logs(self) -> Path:
        return self.root / self.settings.logs.dir
