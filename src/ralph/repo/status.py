from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.repo.git import OUTER, but_for

if TYPE_CHECKING:
    from collections.abc import Collection

    from ralph.repo.git import Git

_PATH_AFTER = {b"1": 8, b"2": 9, b"u": 10}
"""How many fields stand before the path, by kind of record."""


class TreeStatus(Struct, frozen=True):
    head: str
    branch: str
    """Where HEAD is: a branch's name, or empty if it is detached."""
    changed: tuple[str, ...]
    """Tracked files that differ from HEAD, and new ones that are neither ignored nor the user's."""


class Differences(Struct, frozen=True):
    tracked: tuple[str, ...]
    untracked: tuple[str, ...]
    """A path that ends in a slash is a folder: a repository of its own, or a whole new folder."""


def look(git: Git, untracked: str = "all", apart_from: Collection[str] = ()) -> Differences:
    """One process; changes no index. Files left out are not even read."""
    how = (
        "status",
        "--porcelain=v2",
        "-z",
        f"--untracked-files={untracked}",
        "--no-renames",
        OUTER,
    )
    out = git.run(*but_for(apart_from, *how))
    tracked, new = [], []
    for record in out.split(b"\0"):
        kind = record[:1]
        if kind == b"?":
            new.append(os.fsdecode(record[2:]))
        elif kind in _PATH_AFTER:
            tracked.append(os.fsdecode(record.split(b" ", _PATH_AFTER[kind])[-1]))
    return Differences(tuple(tracked), tuple(new))
