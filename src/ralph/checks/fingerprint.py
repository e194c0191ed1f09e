from __future__ import annotations

import hashlib
import os
import shutil
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

LINK = "l"
FILE = "f"


def entries(path: Path) -> dict[str, str]:
    """Everything below `path` by its relative name, with what changes when it is written to.

    A file or a link by itself is one entry without a name; what is not there has none.
    """
    try:
        top = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    if not stat.S_ISDIR(top.st_mode):
        return {"": _described(os.fspath(path), top)}
    found: dict[str, str] = {}
    pending = [""]
    while pending:
        inside = pending.pop()
        with os.scandir(path / inside) as listing:
            for entry in listing:
                name = inside + entry.name
                found[name] = _described(entry.path, entry.stat(follow_symlinks=False))
                if entry.is_dir(follow_symlinks=False):
                    pending.append(name + "/")
    return found


def _described(path: str, seen: os.stat_result) -> str:
    mode = f"{stat.S_IMODE(seen.st_mode):o}"
    if stat.S_ISLNK(seen.st_mode):
        return LINK + os.readlink(path)  # noqa: PTH115 - a Path per entry doubles the time
    if stat.S_ISDIR(seen.st_mode):
        # Its times change with its content, and that is listed anyway.
        return f"d{mode}"
    # The change time cannot be set back as the modification time can.
    return f"{FILE}{mode}:{seen.st_size}:{seen.st_mtime_ns}:{seen.st_ctime_ns}"


def is_same_file(path: Path, described: str) -> bool:
    """Whether it is the regular file that a copy of it was described by, when it was made."""
    try:
        seen = _described(str(path), path.lstat())
    except OSError:
        return False
    # a copy keeps everything but the time of its last change
    return seen.startswith(FILE) and seen.rpartition(":")[0] == described.rpartition(":")[0]


def digest(found: Mapping[str, str]) -> str:
    total = hashlib.sha256()
    for name in sorted(found):
        total.update(os.fsencode(f"{name}\0{found[name]}\n"))
    return total.hexdigest()


def restored(folder: Path, before: Mapping[str, str]) -> bool:
    """Take away what was added to `folder` since; False if anything else in it has changed."""
    now = entries(folder)
    if any(now.get(name) != described for name, described in before.items()):
        return False
    take_away(folder, now.keys() - before.keys())
    return True


def undone(
    folder: Path, before: Mapping[str, str], origin: Path, most: int
) -> dict[str, str] | None:
    """What `folder` holds when all that was done to it is undone: it was copied from `origin`.

    What was added goes, what was written to is copied again. None if that would be more than `most`
    files, or is not possible.
    """
    now = entries(folder)
    changed = [name for name, was in before.items() if now.get(name) != was]
    if len(changed) > most or (changed and not origin.is_dir()):
        return None
    take_away(folder, now.keys() - before.keys())
    listing = dict(before)
    for name in changed:
        source, target = origin / name, folder / name
        if not is_same_file(source, before[name]) or not target.parent.is_dir():
            return None
        remove(target)
        shutil.copy2(source, target)
        listing[name] = entries(target)[""]
    return listing


def take_away(folder: Path, names: Collection[str]) -> None:
    """Remove these from a folder; what is below one of them goes with it."""
    for name in names:
        if name.rpartition("/")[0] not in names:
            remove(folder / name)


def remove(path: Path) -> None:
    """Delete whatever is at `path`; a link goes, never what it points to."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        # Some tools write-protect the folders they make.
        for folder, _, _ in os.walk(path):
            os.chmod(folder, stat.S_IRWXU)  # noqa: PTH101 - os.walk gives text
        shutil.rmtree(path)


def outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that are not below another one of them, in order."""
    kept: list[str] = []
    for path in sorted(set(paths), key=lambda p: (p.count("/"), p)):
        if not any(path.startswith(f"{other}/") for other in kept):
            kept.append(path)
    return tuple(kept)
