"""When a message goes out: what comes together is told together, and nobody is flooded."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.notify import News, Parcel

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = 3600.0
MOST = 50
"""So many may wait; of more than that the oldest are only counted."""


class Outbox(Struct):
    """What one channel is still to be told; `now` is seconds by a clock that never goes back."""

    group_seconds: float
    per_hour: int
    waiting: list[News] = []
    left_out: int = 0
    since: float = 0
    """When the first of them came."""
    failed: bool = False
    """The last message did not arrive: the next try is with the next news."""
    closing: bool = False
    """Nothing more will come: what waits has one more try."""
    sent: list[float] = []
    """When the last messages went out."""

    def put(self, news: News, now: float) -> None:
        if not self.waiting or self.failed:
            self.since, self.failed = now, False
        self.waiting.append(news)
        self._bound()

    def close(self) -> None:
        self.closing = True
        if not self._ends:  # the last message has been tried
            self.failed = False

    def due(self, now: float) -> float:
        """When the next message may go out: `now` or later, infinity if there is none."""
        if not self.waiting or self.failed:
            return math.inf
        if self.closing or self._ends:
            return now  # the last message is never held back
        return max(now, self.since + self.group_seconds, self._allowed())

    def take(self, now: float) -> Parcel:
        """All that waits, as one message that goes out now."""
        parcel = Parcel(tuple(self.waiting), self.left_out)
        self.waiting, self.left_out = [], 0
        self.sent = [*(at for at in self.sent if at > now - HOUR), now]
        return parcel

    def give_back(self, parcel: Parcel) -> None:
        """It did not arrive: the next message tells it."""
        self.failed = not self.waiting
        self.waiting = [*parcel.news, *self.waiting]
        self.left_out += parcel.left_out
        self._bound()

    def forget_answered(self, is_open: Callable[[str], bool]) -> None:
        """Questions that somebody has answered meanwhile are no news."""
        self.waiting = [one for one in self.waiting if not one.question or is_open(one.question)]

    @property
    def _ends(self) -> bool:
        return any(one.is_last for one in self.waiting)

    def _allowed(self) -> float:
        if not 0 < self.per_hour <= len(self.sent):
            return -math.inf
        return self.sent[-self.per_hour] + HOUR

    def _bound(self) -> None:
        over = len(self.waiting) - MOST
        if over > 0:
            del self.waiting[:over]
            self.left_out += over
