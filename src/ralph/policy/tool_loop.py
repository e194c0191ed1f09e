"""Whether an agent goes round in circles: the same calls with the same results, again and again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 5
"""Calls in one round of a circle."""
SHOWN = 60
_REMEMBERED = 2_000
_WAITING = re.compile(
    r"(?:^|[;&|(]|\bdo)\s*(?:sleep|wait|watch|timeout \d+ tail)\b"
    r"|\btail\s+-[a-zA-Z]*[fF]|\bgh (?:run|pr) (?:watch|checks|view)|\bkubectl (?:wait|rollout)",
)
_WAITERS = frozenset({"BashOutput", "TaskOutput", "AgentOutput", "Monitor", "Wait", "sleep"})


class Called(Struct, frozen=True):
    """One call of a tool that has been answered."""

    digest: str
    """Of the tool, all of its input and all of its answer."""
    tool: str
    about: str = ""
    """For people."""

    @property
    def polls(self) -> bool:
        """Whether it waits for something: repeating that is no circle."""
        return self.tool in _WAITERS or _WAITING.search(self.about) is not None


class Circle(Struct, frozen=True):
    calls: tuple[Called, ...]
    times: int

    @property
    def text(self) -> str:
        """For people."""
        named = (f"{one.tool} {one.about}".strip() for one in self.calls)
        shown = ", ".join(one[:SHOWN] for one in named)
        return f"the same calls with the same results {self.times} times in a row: {shown}"


def circle(calls: Sequence[Called], times: int) -> Circle | None:
    """The shortest round that the newest calls repeat at least `times` times; 0 finds none."""
    if times <= 1:
        return None
    for length in range(1, LONGEST + 1):
        found = calls[len(calls) - length :]
        if len(calls) < length * times or any(one.polls for one in found):
            continue
        rounds = _rounds([one.digest for one in calls], length)
        if rounds >= times:
            return Circle(tuple(found), rounds)
    return None


class ToolLoop:
    """Remembers the calls of one agent, within bounds."""

    def __init__(self, times: int) -> None:
        self._times = times
        self._calls: list[Called] = []
        self._seen: dict[str, None] = {}

    def add(self, call: Called) -> bool:
        """Whether this agent had the same answer to the same call never before."""
        self._calls.append(call)
        del self._calls[: -LONGEST * max(self._times, 1) * 2]
        new = call.digest not in self._seen
        self._seen[call.digest] = None
        if len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return new

    @property
    def circle(self) -> Circle | None:
        return circle(self._calls, self._times)


def _rounds(digests: Sequence[str], length: int) -> int:
    """How often the last `length` of them come in a row at the end."""
    last, found = digests[len(digests) - length :], 1
    end = len(digests) - length
    while end >= length and digests[end - length : end] == last:
        found, end = found + 1, end - length
    return found
