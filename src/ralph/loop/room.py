"""Room on the disks that a run writes to: where it gets scarce, nothing new is begun."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph import config
from ralph.domain.trouble import TroubleKind
from ralph.loop.ports import Order
from ralph.policy.diagnose import size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.activity import Activity
    from ralph.loop.run import Run

SECONDS = 1.0
"""How often the watcher looks."""
SPARE = 0.5
"""The share of the limit that an agent at work may still use: ending it costs its work."""


def scarce(run: Run, share: float = 1.0) -> str:
    """Which disk has too little room, and how much; empty if all have enough."""
    least = int(run.settings.safety.free_mb * share * (1 << 20))
    for what, path in _places(run):
        try:
            found = os.statvfs(path)
        except OSError:
            continue
        free = found.f_bavail * found.f_frsize
        if free < least:
            return f"only {size(free)} is free on the disk of {what} ({path})"
    return ""


def _places(run: Run) -> Iterator[tuple[str, Path]]:
    yield "the repository", run.workspace.root
    yield "its git folder", run.workspace.common_dir
    yield "RALPH_HOME", config.home(os.environ)


class Room:
    """A watcher: an agent that fills the disk is ended before nobody can write any more."""

    def __init__(self, run: Run, now: float) -> None:
        self._run = run
        self._looked = now

    def heard(self, activity: Activity, now: float) -> None:
        """What it says takes no room that counts."""

    def look(self, now: float) -> Order | None:
        if now - self._looked < SECONDS:
            return None
        self._looked = now
        why = scarce(self._run, SPARE)
        if not why:
            return None
        return Order(stop=True, why=f"The agent was stopped: {why}.", trouble=TroubleKind.DISK)
