"""The logs of a repository, by the numbers of iterations; nothing here takes a path."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMED = re.compile(r"iteration-(\d{1,9})(?:-r\d+)?(?:-[A-Za-z0-9_.-]+)?\.(?:txt|log)")
MOST_BYTES = 128 << 10
"""The end of a file that a page shows."""
SEARCHED = 16 << 20
"""Bytes that a search reads, the newest first."""
MOST_HITS = 200


class Log(Struct, frozen=True):
    name: str
    text: str
    left_out: int = 0
    """Bytes before it that are not shown."""


class Hit(Struct, frozen=True):
    iteration: int
    name: str
    number: int
    line: str


def of_iteration(folder: Path, number: int) -> list[Log]:
    """What the agent printed, then the checks in their order."""
    found = [path for n, path in _named(folder) if n == number]
    found.sort(key=lambda path: (path.suffix != ".txt", len(path.name), path.name))
    return [log for path in found if (log := _read(path)) is not None]


def search(folder: Path, words: str) -> tuple[list[Hit], bool]:
    """Lines that hold the words, newest iteration first, and whether all logs were read."""
    wanted, hits, left = words.casefold(), [], SEARCHED
    for number, path in sorted(_named(folder), key=lambda one: (-one[0], one[1].name)):
        log = _read(path, min(left, SEARCHED))
        if log is None:
            continue
        left -= len(log.text)
        for place, line in enumerate(log.text.splitlines(), 1):
            if wanted in line.casefold():
                hits.append(Hit(number, path.name, place, line[:500]))
        if left <= 0 or len(hits) >= MOST_HITS:
            return hits[:MOST_HITS], False
    return hits, True


def _named(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in folder.iterdir():
        match = NAMED.fullmatch(path.name)
        if match is not None:
            yield int(match[1]), path


def _read(path: Path, most: int = MOST_BYTES) -> Log | None:
    """The end of a file; None for what is none, such as a link that an agent left there."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        left_out = max(0, found.st_size - most)
        file.seek(left_out)
        return Log(path.name, file.read(most).decode("utf-8", "replace"), left_out)
