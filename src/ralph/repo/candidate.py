"""The commit that is checked, and that lands if the verdict allows it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.repo import diff, durable, exclude, index
from ralph.repo.beside import beside
from ralph.repo.diff import FileChange
from ralph.repo.git import join_names

if TYPE_CHECKING:
    from ralph.repo.workspace import GitWorkspace

QUICKLY = "core.looseCompression=1"
"""Every landing rewrites the plan; git packs it properly when it collects its garbage."""
FEW = 8
"""Files up to which the plan is staged ahead."""


class Candidate(Struct, frozen=True):
    commit: str
    tree: str
    parent: str
    files: tuple[FileChange, ...]
    empty: bool
    """Nothing differs from the parent but the files that Ralph itself overrides."""
    overrides: Mapping[str, bytes | None]
    seen: Mapping[str, bytes | None]
    """What those files held in the work tree when the candidate was made."""
    safe: Future[None]
    """Done when all of it is on the disk: not before may the branch point here."""


class Foreseen(Struct, frozen=True):
    overrides: Mapping[str, bytes | None]
    staging: Future[None]


def foresee(ws: GitWorkspace, overrides: Mapping[str, bytes | None]) -> Foreseen | None:
    """Begin to stage these; None if they are so many that leaving them out later costs more."""
    taken(ws)
    if not overrides or len(overrides) > FEW:
        return None
    ws.staged = ""
    return Foreseen(dict(overrides), beside(partial(_override, ws, overrides)))


def taken(ws: GitWorkspace) -> Mapping[str, bytes | None]:
    """What was staged ahead, once that is done; nothing may use our index before."""
    foreseen, ws.foreseen = ws.foreseen, None
    if foreseen is None:
        return {}
    foreseen.staging.result()
    return foreseen.overrides


def make(
    ws: GitWorkspace,
    base: str,
    message: str,
    overrides: Mapping[str, bytes | None],
    author: str = "",
) -> Candidate:
    ahead = bool(overrides) and taken(ws) == overrides
    # git does not stage what the user ignores, and refuses to have it named
    ws.stage([name for name in overrides if not ws.plan_ignored[name]] if ahead else ())
    seen = {name: files.read(ws.root / name) for name in overrides}
    if not ahead:
        _override(ws, overrides)
    tree, commit, changes = _written(ws, base, message, author)
    again = ahead and _names(changes.files, ".gitattributes")
    if again:  # what was staged ahead went through filters that are no longer right
        _override(ws, overrides)
    if _clean_up(ws, changes.files, frozenset(overrides)) or again:
        tree, commit, changes = _written(ws, base, message, author)
    ws.staged = tree
    work = any({change.path, change.old} - {"", *overrides} for change in changes.files)
    folder = ws.repo.common_dir / "objects"
    safe = beside(partial(durable.sync, folder, (*changes.objects, tree, commit)))
    return Candidate(commit, tree, base, changes.files, not work, dict(overrides), seen, safe)


def _written(
    ws: GitWorkspace, base: str, message: str, author: str
) -> tuple[str, str, diff.Changes]:
    """What is staged, as a tree and as a commit, and how it differs from `base`."""
    tree = index.write_tree(ws.own)
    commit = ws.quick.commit(tree, base, message, author)
    return tree, commit, ws.quick.changes(commit, base)


def _override(ws: GitWorkspace, overrides: Mapping[str, bytes | None]) -> None:
    """Stage these bytes as if the work tree held them; what the user ignores stays out."""
    unknown = [name for name in overrides if name not in ws.plan_ignored]
    hidden = index.ignored_names(ws.own.set(f"core.excludesFile={plain(ws.state_dir)}"), unknown)
    ws.plan_ignored.update((name, name in hidden) for name in unknown)
    wanted = {n: data for n, data in overrides.items() if not ws.plan_ignored[n]}
    written = {n: data for n, data in wanted.items() if data is not None}
    if written:
        _stage_bytes(ws, written)
    index.remove(ws.own, wanted.keys() - written.keys())


def _stage_bytes(ws: GitWorkspace, written: Mapping[str, bytes]) -> None:
    """Through a work tree of their own, so that git's filters apply as they would to the file."""
    folder = ws.state_dir / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="plan-") as other:
        for name, data in written.items():
            path = Path(other) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            original = ws.root / name
            if original.is_file() and os.access(original, os.X_OK):
                path.chmod(0o755)
        args = ("--pathspec-from-file=-", "--pathspec-file-nul")
        git = ws.own.over(Path(other)).set(QUICKLY)
        with index.keeping_time(git):
            git.run("add", "--force", *args, stdin=join_names(written))


def _clean_up(
    ws: GitWorkspace, changes: tuple[FileChange, ...], overridden: frozenset[str]
) -> bool:
    """Take out what may not be committed; rarely anything, so looked for in the result.

    An ignore file of the project can beat our excludes, a link to a nested repository would lose
    its files, and a file staged earlier may have become ignored since.
    """
    new = [c for c in changes if c.status in "ARC" and c.path not in overridden]
    links = [c.path for c in new if c.mode == diff.GITLINK]
    index.flatten(ws.own, links)
    mine = set(ws.untracked)
    wrong = {c.path for c in new if c.path in mine or exclude.is_ours(c.path)}
    if _names(changes, ".gitignore"):
        wrong |= index.ignored_names(ws.own, [c.path for c in new], "--no-index")
    index.remove(ws.own, wrong)
    return bool(links or wrong)


def _names(changes: tuple[FileChange, ...], name: str) -> bool:
    return any(PurePosixPath(change.path).name == name for change in changes)


def plain(state_dir: Path) -> Path:
    """The excludes file without the user's own untracked files."""
    return state_dir / "excludes.plain"
