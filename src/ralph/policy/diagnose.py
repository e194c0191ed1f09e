"""What is too old, too full or too late: verdicts over what a look at the surroundings found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.domain.diagnosis import note, ok, problem
from ralph.domain.moment import iso

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph.domain.diagnosis import Diagnosis

OLDEST_GIT = (2, 39)
LEAST_FREE = 1 << 30
"""Bytes; with less, an agent's build or one log can fill the disk in the middle of a commit."""
TOLERANCE_SECONDS = 120.0
"""How far another machine's commit may be ahead of this clock."""
_UNITS = ("bytes", "KB", "MB", "GB", "TB")
OLDEST_TIME = 1_767_225_600.0
"""The first second of 2026: no clock that is right shows less."""


def git(version: str) -> Diagnosis:
    """From the words of `git --version`."""
    found = re.search(r"(\d+)\.(\d+)[\d.]*", version)
    if found is None:
        return note("git", f"its version is unknown: {version or 'it said nothing'}")
    if (int(found[1]), int(found[2])) < OLDEST_GIT:
        return problem("git", f"{found[0]} is too old", "Install git 2.39 or newer.")
    return ok("git", found[0])


def disk(free: Mapping[str, int]) -> Diagnosis:
    """One disk: the free bytes for each of the things it holds, which share the least of them."""
    least = min(free.values())
    found = f"{size(least)} free for {listed(list(free))}"
    if least < LEAST_FREE:
        return problem("disk", found, f"Free some space: at least {size(LEAST_FREE)} is needed.")
    return ok("disk", found)


def clock(now: float, seen: Mapping[str, float]) -> Diagnosis:
    """Whether the time is later than what has happened already; that by its name."""
    late = [
        f"{what} ({iso(when)})" for what, when in seen.items() if when > now + TOLERANCE_SECONDS
    ]
    fix = "Set the clock, for example by NTP. Times, limits and waits are wrong otherwise."
    if late:
        return problem("clock", f"{iso(now)} is before {listed(late)}", fix)
    if now < OLDEST_TIME:
        return problem("clock", f"{iso(now)} cannot be right", fix)
    return ok("clock", iso(now))


def listed(things: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, last = things
    return f"{', '.join(others)} and {last}" if others else last


def size(count: int) -> str:
    """Bytes as people say them."""
    power = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    if not power:
        return f"{count} bytes"
    return f"{count / (1 << 10 * power):.1f} {_UNITS[power]}"
