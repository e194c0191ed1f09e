"""Git's linked work trees: finding them, and making them again when they are broken."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import GitFailed, RepoError

if TYPE_CHECKING:
    from ralph.repo.git import Git
    from ralph.repo.repository import Repo


class Linked(Struct, frozen=True):
    path: Path
    branch: str
    """A whole ref; empty if detached."""


def listed(git: Git) -> tuple[Linked, ...]:
    """Every checkout of the repository that is there. One process."""
    found = []
    for block in git.run("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
        fields = dict(os.fsdecode(line).partition(" ")[::2] for line in block.split(b"\0") if line)
        if "worktree" in fields and "prunable" not in fields:
            found.append(Linked(Path(fields["worktree"]), fields.get("branch", "")))
    return tuple(found)


def holding(git: Git, branch_ref: str, apart_from: Path) -> Path | None:
    """Another checkout that has this branch, if one has."""
    mine = apart_from.resolve()
    for linked in listed(git):
        if linked.branch == branch_ref and linked.path.resolve() != mine:
            return linked.path
    return None


def admin(common_dir: Path, path: Path) -> Path | None:
    """The git directory of the linked work tree at `path`; None if the two do not fit together."""
    try:
        pointer = (path / ".git").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    folder = Path(pointer.removeprefix("gitdir: "))
    whole = all((folder / name).is_file() for name in ("HEAD", "gitdir", "commondir"))
    if not whole or not _same(folder.parent, common_dir / "worktrees"):
        return None
    return folder if _points_to(folder, path) else None


def forget(common_dir: Path, path: Path) -> None:
    """Drop git's notes about a work tree at `path`, also half-made ones that git would keep."""
    for folder in (common_dir / "worktrees").glob("*"):
        if _points_to(folder, path):
            shutil.rmtree(folder)


def add(repo: Repo, path: Path, *what: str) -> Path:
    """A new linked work tree where nothing is; returns its git directory."""
    forget(repo.common_dir, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        repo.git.run("worktree", "add", "-q", *what)
    except GitFailed as error:
        if "already checked out" in error.stderr:
            raise RepoError(
                f"The branch is checked out elsewhere: {error.stderr.splitlines()[0]}",
                fix="Switch that checkout to another branch, or remove it.",
            ) from error
        raise
    folder = admin(repo.common_dir, path)
    if folder is None:
        raise RepoError(
            f"Git did not create a usable worktree at {path}.", fix="Run the command again."
        )
    return folder


def _points_to(folder: Path, path: Path) -> bool:
    try:
        named = Path((folder / "gitdir").read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return False
    return _same(named.parent, path)


def _same(one: Path, other: Path) -> bool:
    return one == other or one.resolve() == other.resolve()
