"""Watchers beside an agent at work: they hear what it does and say what is to be done about it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from ralph.agents.line import Line
from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.errors import RalphError
from ralph.domain.event import AgentActed
from ralph.domain.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ralph.domain.activity import Activity
    from ralph.domain.answer import Answer
    from ralph.ledger.journal import Journal
    from ralph.loop.ports import Order, Watcher

T = TypeVar("T")

LOOK_SECONDS = 1.0
"""How often watchers look while the agent is silent."""
LINGER_SECONDS = 10.0
"""How long an agent that was asked to stop may take; then its process is ended."""


class Watch:
    """One agent process under the eyes of its watchers. Give `line` to the agent."""

    def __init__(self, heard: Callable[[Activity], None], every: float = LOOK_SECONDS) -> None:
        self.line = Line(self._heard)
        self.watchers: list[Watcher] = []
        self.ended: Order | None = None
        """The order that ended the agent."""
        self._hearing = heard
        self._every = every
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._error: RalphError | None = None

    async def beside(self, work: Coroutine[None, None, T]) -> T:
        """What the work comes to; the watchers look on as long as it takes."""
        self._timers = [self._loop.call_later(self._every, self._tick)]
        try:
            found = await work
        finally:
            for handle in (*self._timers, *filter(None, (self._handle,))):
                handle.cancel()
        if self._error is not None:
            raise self._error
        return found

    def told(self, answer: Answer) -> Answer:
        """The answer of an agent that did not end by itself says who ended it, and why."""
        if self.ended is None or answer.worked:
            return answer
        kind = self.ended.trouble
        trouble = None if kind is None else Trouble(kind, self.ended.why)
        return replace(answer, ended=Ended.STOPPED, trouble=trouble)

    def _heard(self, activity: Activity) -> None:
        self._hearing(activity)
        for watcher in self.watchers:
            watcher.heard(activity, self._loop.time())
        # not here: whoever speaks now is in the middle of something
        if self._handle is None:
            self._handle = self._loop.call_soon(self._look)

    def _tick(self) -> None:
        self._timers[0] = self._loop.call_later(self._every, self._tick)
        self._look()

    def _look(self) -> None:
        self._handle = None
        if self.ended is not None:
            return
        try:
            for watcher in self.watchers:
                if order := watcher.look(self._loop.time()):
                    self._carry_out(order)
        except RalphError as error:
            # what cannot be written down must not go on unseen
            self._error = error
            self._end()

    def _carry_out(self, order: Order) -> None:
        if order.text:
            self.line.nudge(order.text)
        if order.stop and self.ended is None:
            self.ended = order
            self._end()

    def _end(self) -> None:
        if self.line.interrupt():
            self._timers.append(self._loop.call_later(LINGER_SECONDS, self.line.stop))
        else:
            self.line.stop()


KEPT = frozenset({ActivityKind.SAID, ActivityKind.TOOL, ActivityKind.RETRYING, ActivityKind.NUDGED})
"""What people want to see later; the rest is a sign of life."""
MOST = 1000
"""So much of one agent's doings; its log has the rest."""
SECONDS = 1.0
"""How long something may wait before it is written down: others look at the ledger too."""


class Hearing:
    """Listens to one agent while it runs."""

    def __init__(
        self, journal: Journal, iteration: int, told: Callable[[Activity], None] = lambda _: None
    ) -> None:
        self._journal = journal
        self._iteration = iteration
        self._told = told
        """Who is shown it at once."""
        self._left = MOST
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, activity: Activity) -> None:
        self._told(activity)
        if activity.kind not in KEPT or not self._left:
            return
        self._left -= 1
        self._journal.later(
            AgentActed(self._iteration, activity.kind, activity.text, activity.tool)
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._write)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _write(self) -> None:
        self._timer = None
        # what cannot be written now is written with the next event, or stops the run there
        with contextlib.suppress(RalphError):
            self._journal.record()
