"""A folder of small files, read again only where something may have changed."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from ralph.domain.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Iterator

_Stamp: TypeAlias = tuple[int, int, int, int]

_UNSETTLED_NS = 50_000_000
"""A file changed this recently may change again without a new time stamp."""


class _Known(Struct, frozen=True):
    stamp: _Stamp
    data: bytes
    trusted: bool


class WatchedFolder:
    """Remembers each file with the stamp it was read under."""

    def __init__(self, endings: tuple[str, ...]) -> None:
        self._endings = endings
        self._known: dict[str, dict[str, _Known]] = {}

    def read(self, folder: Path, key: str, source: str) -> dict[str, bytes]:
        """The files below the folder by their path, which begins with `key`."""
        before = self._known.get(str(folder), {})
        after: dict[str, _Known] = {}
        try:
            for name, entry in _walk(folder, key, self._endings):
                known = before.get(name)
                stamp = _stamp(entry.stat(follow_symlinks=False))
                if known is None or not known.trusted or known.stamp != stamp:
                    known = _read(entry.path)
                after[name] = known
        except FileNotFoundError as error:
            missing = Path(error.filename or folder)
            what = f"{source} does not exist." if missing == folder else f"{missing} is gone."
            raise PlanError(what, fix="Run `ralph init`, or name the plan you have.") from error
        except OSError as error:
            raise PlanError(f"{source} cannot be read: {error.strerror}.") from error
        self._known[str(folder)] = after
        return {name: known.data for name, known in after.items()}


def _walk(
    folder: Path, key: str, endings: tuple[str, ...]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    queue = [(str(folder), key)]
    while queue:
        path, prefix = queue.pop()
        with os.scandir(path) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            if entry.name.startswith("."):
                continue
            name = f"{prefix}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                queue.append((entry.path, name))
            elif entry.name.endswith(endings) and entry.is_file(follow_symlinks=False):
                yield name, entry


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _read(path: str) -> _Known:
    with Path(path).open("rb") as file:
        stamp = _stamp(os.fstat(file.fileno()))
        data = file.read()
    age = time.time_ns() - max(stamp[2], stamp[3])
    return _Known(stamp, data, trusted=age >= _UNSETTLED_NS)
