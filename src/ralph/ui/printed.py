"""What an agent without a protocol prints: its log is all that tells what it does."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from ralph.ui import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PIECE = 1 << 16
"""Characters of a log that are read at a time, if a line is longer."""
MOST_AT_ONCE = 1 << 20
"""Bytes of what an agent prints that are read at a time."""
_LAST = 1 << 12
"""Bytes in which a last line is looked for."""


def logs_of(folder: Path, iteration: int) -> tuple[Path, ...]:
    """What the agent printed in this iteration, and when it was asked once more."""
    name = f"iteration-{iteration}"
    return (folder / f"{name}.txt", *sorted(folder.glob(f"{name}-r*.txt")))


def is_plain(path: Path) -> bool:
    """Whether it holds words, and no protocol: whose words are events already."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return not file.readline(PIECE).startswith("{")
    except OSError:
        return False


def last_line(folder: Path, iteration: int) -> str:
    """The last one with words in it; nothing if there is none, or where events tell more."""
    for path in reversed(logs_of(folder, iteration)):
        text = words.block(_piece(path, -_LAST, _LAST).decode("utf-8", "replace"))
        lines = (words.line(one) for one in reversed(text.splitlines()))
        if found := next(filter(None, lines), ""):
            return found
    return ""


class Printed:
    """Reads on where it stopped at the last look."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}

    def new(self, iteration: int) -> Iterator[str]:
        """The whole lines that came since."""
        logs = logs_of(self._folder, iteration)
        self._read = {path: self._read.get(path, 0) for path in logs}
        for path in logs:
            new = _piece(path, self._read[path], MOST_AT_ONCE)
            whole = new[: new.rfind(b"\n") + 1]
            self._read[path] += len(whole)
            for line in words.block(whole.decode("utf-8", "replace")).splitlines():
                yield words.line(line)


def _piece(path: Path, start: int, most: int) -> bytes:
    """Of a plain log, from there on, or so many bytes from its end; it may have gone meanwhile."""
    if not is_plain(path):
        return b""
    with suppress(FileNotFoundError), path.open("rb") as file:
        end = file.seek(0, 2)
        file.seek(max(0, end + start) if start < 0 else start)
        return file.read(most)
    return b""
