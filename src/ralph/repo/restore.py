"""Keeping what is in the workspace (a salvage), taking it away, and bringing it back."""

from __future__ import annotations

import os
import shutil
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ralph.repo import diff, durable, index, refs, start

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ralph.repo.refs import Origin, Salvage
    from ralph.repo.workspace import GitWorkspace


def salvage(
    ws: GitWorkspace, name: str, why: str, base: str, origin: Origin, leave_out: frozenset[str]
) -> Salvage | None:
    ws.root.mkdir(parents=True, exist_ok=True)
    with index.scratch(ws.own, ws.state_dir / "tmp", ws.own.index) as git:
        index.stage(git)
        # The user's own uncommitted files too, if the agent changed them.
        index.add(git, start.changed(ws.own, ws.state_dir))
        tree = index.write_tree(git)
    if leave_out:
        tree = _with_kept(ws, tree, base, leave_out)
    changes = diff.between(ws.own, base, tree)
    if not changes.files:
        return None
    durable.sync(ws.repo.common_dir / "objects", (*changes.objects, tree))
    return refs.keep(ws.own, tree, base, name, why, origin)


def restore(ws: GitWorkspace, base: str, keep: frozenset[str]) -> None:
    nested = ws.stage()
    here = index.write_tree(ws.own)
    changes = diff.between(ws.own, here, base).files
    if changes:
        target = _with_kept(ws, base, here, keep)
        # Writes and removes exactly what differs between the two trees, and stops rather than
        # overwrite a file that changed since it was staged a moment ago.
        ws.own.run("read-tree", "-m", "-u", here, target)
        if target != base:
            ws.own.run("read-tree", "-i", "-m", base)
    removed = (c.old if c.status == "R" else c.path for c in changes if c.status in "DR")
    _move_nested(ws, nested, removed)
    start.put_back(ws.own, ws.state_dir, ws.start, base, keep)
    ws.staged = ""
    ws.show_index()


def apply(ws: GitWorkspace, ref: str) -> bool:
    commit = refs.find(ws.own, ref).commit
    ws.stage()
    here = index.write_tree(ws.own)
    # A commit of what is here, on the parent of the kept work: git then merges the two from that
    # parent, wherever the branch has gone since.
    stand_in = refs.commit_tree(ws.own, here, f"{commit}^", "what is here\n")
    merged = ws.own.ask("merge-tree", "--write-tree", "--no-messages", stand_in, commit)
    if merged.code:
        return False
    target = merged.out.decode().split("\n", 1)[0]
    ws.own.run("read-tree", "-m", "-u", here, target)
    return True


def _with_kept(ws: GitWorkspace, base: str, here: str, keep: Iterable[str]) -> str:
    """The tree of `base` with these files as they are now; `base` itself if there are none."""
    wanted = frozenset(keep)
    if not wanted:
        return base
    with index.scratch(ws.own, ws.state_dir / "tmp", None) as git:
        git.run("read-tree", base)
        lines = git.run("ls-tree", "-r", "-z", "--full-tree", here).split(b"\0")
        now = [line for line in lines if line and os.fsdecode(line.split(b"\t", 1)[1]) in wanted]
        index.remove(git, wanted)
        git.run("update-index", "-z", "--index-info", stdin=b"".join(x + b"\0" for x in now))
        return index.write_tree(git)


def _move_nested(ws: GitWorkspace, nested: Iterable[str], removed: Iterable[str]) -> None:
    """A repository that the agent made inside ours loses its files here; its history is kept."""
    folders = {PurePosixPath(name) for name in nested}
    for name in removed:
        folders.update(PurePosixPath(name).parents)
    for folder in sorted(folders - {PurePosixPath()}, key=lambda f: len(f.parts), reverse=True):
        inner = ws.root / folder / ".git"
        if not os.path.lexists(inner) or _is_tracked(ws, folder):
            continue
        aside = _free(ws.state_dir / "nested" / folder.name)
        aside.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(inner, aside)
        _remove_empty(ws.root, ws.root / folder)


def _is_tracked(ws: GitWorkspace, folder: PurePosixPath) -> bool:
    """A submodule of the user's: its own business."""
    return bool(ws.own.run("ls-files", "-z", "--stage", "--", str(folder)).startswith(b"160000"))


def _free(path: Path) -> Path:
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _remove_empty(root: Path, folder: Path) -> None:
    while folder != root and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
