"""What the user had not committed when the run began: never committed, never lost."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import asdict

from ralph import files
from ralph.repo import diff, durable, index, refs
from ralph.repo.git import OUTER, join_names

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo.git import Git

LIMIT = 64 << 20
"""Bytes of uncommitted files up to which they are kept under a ref when the run begins."""


class WorkspaceStart(Struct, frozen=True):
    """Written into the state folder, so that a recovery knows it too."""

    run: str = ""
    head: str = ""
    untracked: tuple[str, ...] = ()
    dirty: tuple[str, ...] = ()
    """Tracked files with allowed changes, such as a plan that was edited but not committed."""


def save(state_dir: Path, start: WorkspaceStart) -> None:
    files.write(state_dir / "start.json", json.dumps(asdict(start)))


def load(state_dir: Path) -> WorkspaceStart:
    raw = files.read(state_dir / "start.json")
    if raw is None:
        return WorkspaceStart()
    data = json.loads(raw)
    return WorkspaceStart(data["run"], data["head"], tuple(data["untracked"]), tuple(data["dirty"]))


def keep(own: Git, common_dir: Path, state_dir: Path, start: WorkspaceStart) -> None:
    """Snapshot those files, if they are not too many bytes. Six processes if there are any."""
    kept = kept_index(state_dir)
    kept.unlink(missing_ok=True)
    names = [n for n in (*start.untracked, *start.dirty) if _is_file(own.work_tree / n)]
    if not names or sum((own.work_tree / n).lstat().st_size for n in names) > LIMIT:
        return
    # it tells after a power cut what was the user's
    index.add(own.using(kept).set("core.fsync=loose-object,index"), names)
    with index.scratch(own, state_dir / "tmp", own.index) as git:
        index.add(git, names)
        tree = index.write_tree(git)
    new = diff.between(own, start.head, tree).objects
    durable.sync(common_dir / "objects", (*new, tree))
    why = "files that were not committed when the run began"
    refs.keep(own, tree, start.head, f"{start.run}/start", why, refs.Origin(start.run))


def changed(own: Git, state_dir: Path) -> tuple[str, ...]:
    """Which of those files differ from the snapshot now. One process if there is one."""
    kept = kept_index(state_dir)
    if not kept.exists():
        return ()
    return own.using(kept).names(
        "diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", OUTER
    )


def put_back(
    own: Git, state_dir: Path, start: WorkspaceStart, base: str, keep: frozenset[str] = frozenset()
) -> None:
    """Give those files their bytes back, apart from `keep` and what has been committed since."""
    names = changed(own, state_dir)
    if not names:
        return
    since = set(own.names("diff-tree", "-r", "-z", "--name-only", start.head, base))
    data = join_names(name for name in names if name not in since | keep)
    if data:
        git = own.using(kept_index(state_dir))
        git.run("checkout-index", "--force", "-u", "-z", "--stdin", stdin=data)


def bring_back(own: Git, state_dir: Path, start: WorkspaceStart) -> tuple[str, ...]:
    """Restore those that are gone, and name them. One process if there are any."""
    gone = [n for n in start.untracked if not os.path.lexists(own.work_tree / n)]
    if not gone or not kept_index(state_dir).exists():
        return ()
    git = own.using(kept_index(state_dir))
    known = set(git.names("ls-files", "-z"))
    gone = [name for name in gone if name in known]
    git.run("checkout-index", "--force", "-u", "-z", "--stdin", stdin=join_names(gone))
    return tuple(gone)


def kept_index(state_dir: Path) -> Path:
    return state_dir / "kept.index"


def _is_file(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def own_index(state_dir: Path) -> Path:
    return state_dir / "index"
