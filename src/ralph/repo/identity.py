"""Which repository a clone is of: clones elsewhere have the same root commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.repo.repository import Repo

if TYPE_CHECKING:
    from pathlib import Path


class Identity(Struct, frozen=True):
    project: str
    """What the clone is called on this machine."""
    name: str
    root: str
    """The first commit of its main line; empty where the clone does not reach that far back."""


def identity(start: Path) -> Identity:
    """Raises a RepoError where there is no repository. Walks the history: two processes."""
    repo = Repo.open(start, to_write=False)
    common = repo.common_dir
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    cut = repo.git.ask("rev-parse", "--is-shallow-repository").out.strip() != b"false"
    found = repo.git.ask("rev-list", "--max-parents=0", "--first-parent", "HEAD")
    known = found.code == 0 and not cut
    return Identity(repo.project, name, found.out.decode().strip() if known else "")
