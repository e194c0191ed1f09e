"""Grounds to try commits on: a clone of Ralph's own, with the dependencies of the user's checkout.

The clone borrows the user's objects and keeps its own: nothing is written into the repository.
"""

from __future__ import annotations

import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.commands import Checker
from ralph.checks.held_out import HeldOut
from ralph.domain.errors import RepoError
from ralph.domain.settings import Settings
from ralph.domain.task import Command
from ralph.loop.confine import confined, find
from ralph.loop.lacking import supply
from ralph.loop.trials import Trials, Wanted
from ralph.repo import CleanCheckout, Repo, Workspace, queries
from ralph.repo.git import discover

if TYPE_CHECKING:
    from ralph.domain.task import Task
    from ralph.loop.lacking import Supplied

BRANCH = "ralph/calibrate"


class Court(Struct, dict=True):
    """What a candidate is tried with, as `loop/ports.py` describes it."""

    settings: Settings
    commands: tuple[Command, ...]
    root: Path
    users: Repo
    repo: Repo
    workspace: Workspace
    checkout: CleanCheckout
    checker: Checker
    held_out: HeldOut
    folder: Path
    kept: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def trials(self) -> Trials:
        return Trials(self)

    def ignored(self) -> tuple[str, ...]:
        return queries.ignored(self.users)

    def commands_for(self, task: Task) -> tuple[Command, ...]:
        return task.verify or self.commands

    def logs(self) -> Path:
        return self.folder / "logs"

    def hidden_logs(self) -> Path:
        return self.folder / "held-out"


def opened(users: Repo, settings: Settings, commands: tuple[Command, ...], folder: Path) -> Court:
    """A court below `folder`, which is made anew; carried dependencies are kept there."""
    clone = folder / "clone"
    _cloned(users, clone)
    repo = Repo.open(clone, to_write=False)
    workspace = Workspace.in_place(repo, BRANCH, state_dir=folder / "state", run="calibrate")
    return Court(
        settings=settings,
        commands=commands,
        root=users.root,
        users=users,
        repo=repo,
        workspace=workspace,
        checkout=CleanCheckout(repo, folder / "checkout"),
        checker=Checker(settings.verification, users.root),
        held_out=HeldOut("", users.root),
        folder=folder,
    )


async def made_ready(court: Court, commit: str) -> Supplied:
    """With the dependencies that the clean checkout lacks, and the checks run there once."""
    found = await find(court.settings.safety, court.users.root, court.folder)
    hidden = (court.users.root, court.repo.root)
    runner = confined(found, court.settings, court.repo, hidden, court.checker.runner)
    court.checker = court.checker.within(runner)
    ignored = court.ignored()
    court.kept = court.checker.kept(ignored)
    root = court.checkout.at(commit, court.kept)
    court.notes = (await court.checker.prepare(root, ignored)).notes
    trial = await court.trials.of(Wanted(commit, court.commands, "head"))
    supplied = await supply(court, commit, court.commands, trial)
    await court.trials.make_ready()
    return supplied


def _cloned(users: Repo, clone: Path) -> None:
    shutil.rmtree(clone, ignore_errors=True)
    clone.parent.mkdir(parents=True, exist_ok=True)
    words = ("clone", "--quiet", "--shared", "--", str(users.root), str(clone))
    done = discover(clone.parent, *words)
    if done.code:
        last = done.err.strip().splitlines()[-1:] or ["no message"]
        raise RepoError(f"Git cannot clone {users.root} to look at its history: {last[0]}")
    for name, value in (("user.name", "Ralph"), ("user.email", "ralph@localhost")):
        discover(clone, "config", name, value)  # what is tried is committed there, and never lands
