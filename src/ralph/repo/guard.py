"""Git's own settings, which an agent could use to make git run something."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from ralph import files

SHARED = ("config", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates")
OWN = ("config.worktree", "info/sparse-checkout")


class KeptPath(Struct, frozen=True):
    """What stands at a path; a link of the user's is remembered as a link."""

    data: bytes | None
    link: Path | None = None
    folder: bool = False


class ConfigSnapshot(Struct, frozen=True):
    files: Mapping[Path, KeptPath]


def take(git_dir: Path, common_dir: Path, root: Path) -> ConfigSnapshot:
    """No process."""
    paths = [common_dir / name for name in SHARED] + [git_dir / name for name in OWN]
    if git_dir != common_dir:
        paths.append(root / ".git")  # the pointer of a linked work tree
    return ConfigSnapshot({path: _look(path) for path in paths})


def restore(snapshot: ConfigSnapshot, common_dir: Path) -> tuple[str, ...]:
    """Put back what differs and name it. No process."""
    changed = []
    for path, before in snapshot.files.items():
        now = _look(path)
        if now != before:
            changed.append(_shown(path, common_dir))
            _put_back(path, now, before, common_dir / "ralph" / "replaced")
    return tuple(changed)


def _look(path: Path) -> KeptPath:
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return KeptPath(None)
    link = path.readlink() if stat.S_ISLNK(mode) else None
    if stat.S_ISDIR(mode) or (link is not None and path.is_dir()):
        return KeptPath(None, link, folder=True)
    return KeptPath(files.read(path), link)


def _put_back(path: Path, now: KeptPath, before: KeptPath, aside: Path) -> None:
    if now.folder or now.link != before.link or before.data is None:
        _make_way(path, aside)
    if before.link is not None and now.link != before.link:
        path.symlink_to(before.link)
    if before.data is not None and files.read(path) != before.data:
        files.write(path.resolve(), before.data)


def _make_way(path: Path, aside: Path) -> None:
    """A folder in the place of a file is moved rather than removed: it may hold a repository."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        aside.mkdir(parents=True, exist_ok=True)
        shutil.move(path, tempfile.mkdtemp(dir=aside))


def _shown(path: Path, common_dir: Path) -> str:
    if path.is_relative_to(common_dir):
        return f".git/{path.relative_to(common_dir)}"
    return path.name
