"""Output that comes in pieces, masked as if it had come at once.

A line is held back until it is whole. One that never ends is cut after `LONGEST` bytes, at a
place that depends on nothing but the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.policy.secrets.keys import Inside

if TYPE_CHECKING:
    from ralph.policy.secrets.masker import Masker

BLOCK = 64 << 10
"""How much is searched at a time: small enough to stay in the processor's cache."""
LONGEST = 1 << 20
_SLACK = 8 << 10
"""How far before that a place is looked for at which no secret is cut in two."""
_BETWEEN = (b" ", b",", b"\t", b";")


class MaskedStream:
    """One output on its way."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._pending = bytearray()
        self._inside = Inside.NO

    def feed(self, data: bytes) -> bytes:
        """What can be let out now."""
        first = data.find(b"\n") + 1
        if not first and len(self._pending) + len(data) < LONGEST:
            self._pending += data
            return b""
        if not self._pending:
            return self._whole(data)
        # only the line that is whole now is put together: the rest need not be copied
        first = first or len(data)
        line = bytes(self._pending) + data[:first]
        self._pending.clear()
        begun = self._whole(line)
        if first == len(data):
            return begun
        return begun + self._whole(data[first:])

    def close(self) -> bytes:
        """The rest."""
        rest = bytes(self._pending)
        self._pending.clear()
        return self._lines(rest) if rest else b""

    def _whole(self, data: bytes) -> bytes:
        """The lines that are whole; the rest is held back as long as it may be."""
        parts: list[bytes] = []
        start = 0
        while start < len(data):
            end = data.rfind(b"\n", start, start + BLOCK) + 1
            end = end or data.find(b"\n", start, start + LONGEST) + 1
            if not end:
                if len(data) - start < LONGEST:
                    break
                end = _cut(data, start)
            parts.append(self._lines(data[start:end]))
            start = end
        self._pending += data[start:]
        return b"".join(parts)

    def _lines(self, data: bytes) -> bytes:
        masked, self._inside = self._masker.lines(data, self._inside)
        return masked


def _cut(data: bytes, start: int) -> int:
    end = start + LONGEST
    return max(data.rfind(mark, end - _SLACK, end) for mark in _BETWEEN) + 1 or end
