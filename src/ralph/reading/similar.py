from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 4_000
"""Characters of a digest: fuzzy matching costs the product of two lengths."""
SHORTEST = 40
"""Below this, nine tenths alike is still a different sentence."""

_SLICE = 4 * LONGEST
_GAP = " … "
_HALF = (LONGEST - len(_GAP)) // 2
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


def digest(text: str) -> str:
    """The bounded form of an output that is kept and compared; digesting it again changes nothing.

    White space and numbers are folded (`#`). Short text keeps its numbers, so that "Task US-001
    complete" and "Task US-002 complete" stay apart.
    """
    if len(text) > 2 * _SLICE:
        text = text[:_SLICE] + _GAP + text[-_SLICE:]
    words = " ".join(text.split())
    if len(words) < SHORTEST:
        return words
    folded = _NUMBER.sub("#", words)
    if len(folded) <= LONGEST:
        return folded
    return folded[:_HALF].rstrip() + _GAP + folded[-_HALF:].lstrip()


def similar(text: str, earlier: Sequence[str], threshold: float = 0.9) -> bool:
    """Whether an output is this much like one of the earlier ones, given whole or as digests.

    Short outputs must be equal, and an empty one is like nothing. Alike is not yet a loop: an agent
    that always ends with the same words gets on if its trees differ, which the caller knows.
    """
    mine = digest(text)
    return bool(mine) and any(_alike(mine, digest(other), threshold) for other in earlier)


def _alike(one: str, other: str, threshold: float) -> bool:
    if one == other:
        return True
    if min(len(one), len(other)) < SHORTEST:
        return False
    from rapidfuzz import fuzz

    return fuzz.ratio(one, other) >= threshold * 100
