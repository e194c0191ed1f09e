"""A place to try old commits in: a clone of Ralph's own.

It has the dependencies of the user's checkout, borrows the user's objects and keeps its own:
nothing is written into the repository.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.commands import Checker
from ralph.domain.errors import RepoError
from ralph.domain.plan import Plan
from ralph.domain.settings import Settings
from ralph.domain.task import Command
from ralph.loop.confine import confined, find
from ralph.proof.experiment import Variant
from ralph.proof.held_out import HeldOutChecks
from ralph.proof.lab import Lab
from ralph.proof.lacking import supply
from ralph.proof.subject import Subject
from ralph.repo import CleanCheckout, GitWorkspace, Repo
from ralph.repo.git import discover

if TYPE_CHECKING:
    from ralph.flows.calibrate.history import Past
    from ralph.proof.lacking import Supplied

BRANCH = "ralph/calibrate"


class Court(Struct, frozen=True):
    """Where the past is tried."""

    settings: Settings
    commands: tuple[Command, ...]
    users: Repo
    lab: Lab
    folder: Path

    def subject(self, past: Past, number: int) -> Subject:
        """A commit as the work that an agent left."""
        return Subject(
            task=past.task,
            plan=Plan(source="git log", title="history", tasks=(past.task,)),
            base=past.parent,
            candidate=past.candidate,
            files=tuple(one.path for one in past.files),
            inside={},
            commands=self.commands,
            name=f"iteration-{number}",
            settings=self.settings.verification,
            root=self.users.root,
            repository=self.lab.workspace,
            held_out=HeldOutChecks("", self.users.root),
        )


def opened(users: Repo, settings: Settings, commands: tuple[Command, ...], folder: Path) -> Court:
    """A court below `folder`, which is recreated; carried dependencies are kept there."""
    clone = folder / "clone"
    _cloned(users, clone)
    repo = Repo.open(clone, to_write=False)
    lab = Lab(
        settings.verification,
        users,
        GitWorkspace.in_place(repo, BRANCH, state_dir=folder / "state", run="calibrate"),
        CleanCheckout(repo, folder / "checkout"),
        Checker(settings.verification, users.root),
        folder / "logs",
    )
    return Court(settings, commands, users, lab, folder)


async def made_ready(court: Court, commit: str) -> Supplied:
    """With the dependencies that the clean checkout lacks, and the checks run there once."""
    lab, users = court.lab, court.users
    found = await find(court.settings.safety, users.root, court.folder)
    clone = lab.workspace.repo
    lab.within(partial(confined, found, court.settings, clone.common_dir, (users.root, clone.root)))
    await lab.prepare(commit)
    trial = await lab.of(Variant("head", commit, court.commands, lasting=True))
    supplied = await supply(lab, commit, court.commands, trial)
    await lab.make_ready(commit, court.commands)
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
