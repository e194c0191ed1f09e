"""What decides, accepts or lands is for people: an agent may look, and no more.

A command that is marked here is refused inside a run on the same repository (`process.inside`).
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from ralph.domain.errors import NotARepository, NotForAgents, RalphError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

MARK = "decides"


def decides(*, only: str = "", unless: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a command as one for people: always, only with an option, or unless one is given."""

    def marked(command: Callable[P, R]) -> Callable[P, R]:
        @wraps(command)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            if (not only or kwargs[only]) and not (unless and kwargs[unless]):
                refuse_agents()
            return command(*args, **kwargs)

        setattr(guarded, MARK, True)
        return guarded

    return marked


def refuse_agents() -> None:
    """Raise a NotForAgents inside a run, and have the ledger say so."""
    from ralph.process.inside import inside_a_run
    from ralph.repo import Repo, lock

    try:
        repo = Repo.open(Path.cwd(), to_write=False)
    except NotARepository:
        return
    holder = lock.holder(repo.common_dir)
    if not inside_a_run(repo.project, holder.pid if holder else 0):
        return
    name = click.get_current_context().command_path
    with suppress(RalphError):  # where the ledger is out of reach, so is what was asked for
        _record(name)
    raise NotForAgents(
        f"`{name}` is for people, but it was called from inside a run on {repo.root}.",
        fix="Agents may look (`ralph lint`; `status`, `logs`, `report` where no walls are).\n"
        "To ask a person something, escalate as the prompt describes.",
    )


def _record(name: str) -> None:
    from ralph.domain.event import CommandRefused
    from ralph.ui import wire

    journal = wire.project(to_write=False).journal()
    try:
        at = journal.state.open_iteration
        journal.run = journal.state.run.id
        refused = CommandRefused(name)
        if at is not None:
            refused = CommandRefused(name, at.task, at.iteration, at.agent)
        journal.record(refused)
    finally:
        journal.close()
        journal.ledger.close()
