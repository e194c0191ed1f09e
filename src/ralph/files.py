"""Durable files: whole or not at all, whatever dies in between."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from typing import TYPE_CHECKING

from ralph.domain.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from tempfile import TemporaryDirectory

UNFINISHED = ".ralph-tmp"
"""What the name of a file ends with until it is whole."""
IGNORED = "*\n!/tasks/\n!/tasks/**\n!/parent-task-id\n"
"""In `.ralph` everything is a view, the user's own plan apart."""

_REASONS = {
    errno.ENOSPC: ("the disk is full", "Free some space, then run the same command again."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space, then run the command again."),
    errno.EROFS: ("the file system is read-only", "Make it writable, or work in another clone."),
    errno.EACCES: ("permission denied", "Give yourself the right to write there."),
}


def explain(error: OSError, path: str | Path, doing: str = "write") -> StorageError:
    """The same trouble in words, with what to do about it."""
    what, fix = _REASONS.get(_number(error), (error.strerror or str(error), ""))
    return StorageError(f"Cannot {doing} {path}: {what}.", fix=fix)


def can_be_mended(error: OSError) -> bool:
    """Whether it is about the disk and not about a fault of the program."""
    return _number(error) in _REASONS


def _number(error: OSError) -> int:
    """Of the first of several, where whole folders were copied: only their words are kept."""
    if error.errno is not None:
        return error.errno
    found = re.search(r"\[Errno (\d+)\]", str(error))
    return int(found[1]) if found else 0


def write(path: Path, data: bytes | str, *, durable: bool = True) -> None:
    """Replace `path` by `data` in one step.

    `durable=False` leaves out the fsync, for views that can be made again from the ledger.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    temporary = path.with_name(f".{path.name}.{os.getpid()}{UNFINISHED}")
    try:
        _ensure_folder(path.parent)
        mode = _mode_of(path)
        with temporary.open("wb") as file:
            file.write(raw)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
        if durable:
            _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise explain(error, path) from error


def keep_out_of_git(folder: Path) -> None:
    """Have git leave our folder `.ralph` alone, whether or not anybody ran `ralph init`."""
    ignore = folder / ".gitignore"
    if not ignore.exists():
        write(ignore, IGNORED, durable=False)


def sweep(folders: Iterable[Path]) -> None:
    """Remove what a `write` that was killed left in these folders; only while none is going on."""
    for folder in dict.fromkeys(folders):
        for left in folder.glob(f".*{UNFINISHED}"):
            with contextlib.suppress(OSError):
                left.unlink()


def _ensure_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def scratch(prefix: str) -> TemporaryDirectory[str]:
    """A folder for a while."""
    from tempfile import TemporaryDirectory  # much behind it, and the first check is soon enough

    try:
        return TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True)
    except OSError as error:
        # where no file can be written Python only says that there is no folder
        raise StorageError(
            "Cannot make a temporary folder: the disk is full, or nobody may write there.",
            fix="Free some space, or set TMPDIR, then run the same command again.",
        ) from error


def read(path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file. A folder or a pipe is none."""
    try:
        # a pipe that an agent left would otherwise block for ever
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read()


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path lies in a folder, though links on the way to it may say otherwise."""
    inside, top = os.path.realpath(path.parent), os.path.realpath(folder)
    return inside == top or inside.startswith(f"{top}/")
