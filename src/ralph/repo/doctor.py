"""A look at git and at the repository; a RepoError says what stands in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.diagnosis import ok
from ralph.policy import diagnose
from ralph.repo import refs
from ralph.repo.git import discover
from ralph.repo.repository import IDENTITY, NO_GUESS, check_identity

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.diagnosis import Diagnosis
    from ralph.repo.repository import Repo

SECONDS = 1.0


def version(folder: Path) -> Diagnosis:
    return diagnose.git(discover(folder, "--version", seconds=SECONDS).out.decode().strip())


def identity(folder: Path) -> Diagnosis:
    told = discover(folder, "-c", NO_GUESS, *IDENTITY, seconds=SECONDS)
    check_identity(told)
    # after the address comes the time
    who = told.out.decode("utf-8", "replace").rpartition(">")[0]
    return ok("identity", f"{who}>")


def state(repo: Repo) -> Diagnosis:
    repo.check_state()
    at = refs.symbolic(repo.git_dir) or ""
    branch = at.removeprefix("refs/heads/")
    where = f"branch {branch}" if branch != at else "no branch: HEAD is detached"
    return ok("repository", f"{repo.root}, {where}")


def last_commit(repo: Repo) -> float | None:
    """When the checkout's newest commit was made."""
    told = discover(repo.root, "log", "-1", "--format=%ct", seconds=SECONDS)
    return None if told.code or not told.out.strip() else float(told.out)
