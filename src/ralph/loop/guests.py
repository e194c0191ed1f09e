"""Walls for agents that land nothing themselves: a judge, reviewers, one that drafts a plan."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.agents.home import Needs, furnish
from ralph.domain.settings import Network
from ralph.loop.confine import PACKAGE, git_places, in_words, interpreters, linked, named, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.settings import Settings
    from ralph.domain.walls import Walls
    from ralph.loop.confine import Confinement
    from ralph.loop.ports import Agent
    from ralph.repo import Repo


@contextlib.contextmanager
def received(
    found: Confinement, settings: Settings, repo: Repo, agent: Agent, place: Path
) -> Iterator[Walls | None]:
    """Walls for an agent that writes to `place`, and only reads the repository; none if none are.

    Its home is its own; what is said in its sessions and a renewed login are kept.
    """
    if found.walls is None:
        yield None
        return
    users = Path(found.walls.home)
    found.folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="guest-", dir=found.folder))
    home = furnish(folder / "home", users, os.environ, getattr(agent, "needs", Needs()), fresh=True)
    own = settings.agents.get(agent.name)
    read = (*settings.safety.read, *(own.home if own is not None else ()))
    try:
        yield replace(
            found.walls,
            write=(str(place), *named(settings.safety.write, users)),
            read=(
                *found.walls.read,
                *named(read, users),
                *in_words(getattr(agent, "command", ()), users, place),
                *interpreters(users, place),
                *linked(place, settings),
                *git_places(repo.common_dir),
                PACKAGE,
            ),
            hide=found.hidden,
            over=texts(home.over),
            shown=(*found.walls.shown, *texts(home.shown)),
            network=settings.safety.network is Network.FULL,
        )
    finally:
        home.give_back()
        shutil.rmtree(folder, ignore_errors=True)
