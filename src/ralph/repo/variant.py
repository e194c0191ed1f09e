"""Commits that never land: a state of the repository with some files taken from elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph.repo import index, refs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ralph.repo.git import Git
    from ralph.repo.workspace import GitWorkspace

MODE = "100644"


def variant(
    ws: GitWorkspace,
    onto: str,
    source: str = "",
    paths: Collection[str] = (),
    write: Mapping[str, bytes] | None = None,
) -> str:
    """`onto` with these paths as `source` has them (gone where it has none), and these bytes.

    Nothing is kept alive for it: git forgets it in time. Six processes, two more for bytes.
    """
    with index.scratch(ws.own, ws.state_dir / "tmp", None) as git:
        git.run("read-tree", onto)
        if paths:
            _take(git, source, paths)
        if write:
            _write(git, write)
        tree = index.write_tree(git)
    return refs.commit_tree(ws.own, tree, onto, "A variant that is only checked.\n")


def _take(git: Git, source: str, paths: Collection[str]) -> None:
    wanted = frozenset(paths)
    index.remove(git, wanted)
    entries = git.run("ls-tree", "-r", "-z", "--full-tree", source).split(b"\0")
    there = [one for one in entries if one and os.fsdecode(one.split(b"\t", 1)[1]) in wanted]
    if there:
        git.run("update-index", "-z", "--index-info", stdin=b"".join(one + b"\0" for one in there))


def _write(git: Git, write: Mapping[str, bytes]) -> None:
    lines = []
    for name, data in write.items():
        blob = git.text("hash-object", "-w", "--stdin", stdin=data)
        lines.append(f"{MODE} {blob}\t".encode() + os.fsencode(name) + b"\0")
    git.run("update-index", "-z", "--index-info", stdin=b"".join(lines))
