from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CAP = 16 << 20
"""A longer line is dropped: it is a tool's output, not the agent's words."""


class LineCutter:
    """Cuts bytes into lines, wherever they come apart. A line over the cap is never kept whole."""

    def __init__(self, take: Callable[[bytes], None], cap: int = CAP) -> None:
        self.dropped = 0
        """Lines over the cap."""
        self._take = take
        self._cap = cap
        self._pending = bytearray()
        self._skipping = False
        self._stopped = False

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._stopped:
            return
        first, *whole = chunk.split(b"\n")
        self._hold(first)
        if whole:
            self._end_line()
            last = whole.pop()
            for line in whole:
                self._whole(line)
            if not self._stopped:
                self._hold(last)

    def close(self) -> None:
        """Take a last line that has no end."""
        if self._pending or self._skipping:
            self._end_line()

    def stop(self) -> None:
        """Nothing that comes from now on is of interest."""
        self._stopped = True
        self._pending.clear()

    def _hold(self, part: bytes) -> None:
        if self._skipping:
            return
        if len(self._pending) + len(part) > self._cap:
            self._pending.clear()
            self._skipping = True
        else:
            self._pending += part

    def _end_line(self) -> None:
        line = bytes(self._pending)
        self._pending.clear()
        if self._skipping:
            self._skipping = False
            self.dropped += 1
        else:
            self._whole(line)

    def _whole(self, line: bytes) -> None:
        if len(line) > self._cap:
            self.dropped += 1
        elif not self._stopped and (line := line.strip()):
            self._take(line)
