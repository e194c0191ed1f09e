"""Private keys: the one kind of secret that goes over several lines."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

BEGIN = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(rb"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_AROUND = rb"(?:[\w.-]{1,40} +\|)?[\s+>|#*\"'\d:.,TZ\[\]-]{0,60}?"
"""What may stand before a line of a key: the sign of a difference, a time, a service's name."""
_LINE = re.compile(
    _AROUND + rb"(?:[A-Za-z0-9+/]{40,120}={0,2}|=[A-Za-z0-9+/]{4}"
    rb"|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n]*)?[\"',;\\nr \t]*\r?"
)
_LAST = re.compile(_AROUND + rb"[A-Za-z0-9+/]{1,40}={0,2}[\"',;\\nr \t]*\r?")


class Inside(IntEnum):
    """Whether the next line may belong to a key."""

    NO = 0
    YES = 1
    LAST = 2
    """A short line was there: only the end can follow."""


class Key(NamedTuple):
    start: int
    first: int
    """Where what stands in its first line ends; what follows there stays."""
    next: int
    end: int
    """Between these are its other lines; nothing is left of them."""
    inside: Inside


def key(data: bytes, begin: re.Match[bytes]) -> Key:
    """All of the key that begins there."""
    line_end = data.find(b"\n", begin.end())
    line_end = len(data) if line_end < 0 else line_end
    closed = _END.search(data, begin.end(), line_end)
    if closed is not None:
        return Key(begin.start(), closed.end(), closed.end(), closed.end(), Inside.NO)
    first = line_end - data[:line_end].endswith(b"\r")
    after = min(line_end + 1, len(data))
    end, inside = lines(data, after, Inside.YES)
    return Key(begin.start(), first, after, end, inside)


def lines(data: bytes, start: int, inside: Inside) -> tuple[int, Inside]:
    """How far the lines of a key reach from `start`, and whether more may come."""
    while start < len(data) and inside:
        stop = data.find(b"\n", start) + 1 or len(data)
        inside, belongs = _next(data[start:stop].rstrip(b"\n"), inside)
        if belongs:
            start = stop
    return start, inside


def _next(line: bytes, inside: Inside) -> tuple[Inside, bool]:
    if _END.search(line):
        return Inside.NO, True
    if inside is Inside.LAST:
        return Inside.NO, False
    if _LINE.fullmatch(line):
        return Inside.YES, True
    return (Inside.LAST, True) if _LAST.fullmatch(line) else (Inside.NO, False)
