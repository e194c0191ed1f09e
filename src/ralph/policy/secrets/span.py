from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    start: int
    end: int
    kind: str
    rank: int
    """Of several at one place, the one with the lowest gives the name."""


KNOWN, TOKEN, PLACED, NAMED = range(4)
PRIVATE_KEY = "private key"
