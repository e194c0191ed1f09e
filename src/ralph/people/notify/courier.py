"""Takes news to the channels while the loop goes on: it is never waited for, and never raises."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import masking
from ralph.people.notify import SECONDS
from ralph.people.wording import plain
from ralph.policy.notify import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph.domain.event import Recorded
    from ralph.domain.notify import Letter, News, NotifySettings, Parcel
    from ralph.people.notify import Channel

FINISH_SECONDS = 5.0
"""How long the end of a run may wait for what is under way."""
_WHY = 200


async def deliver(channel: Channel, letter: Letter) -> str:
    """Why it did not arrive, in a line; empty if it did. Without secrets, either way."""
    letter = replace(letter, title=masking.text(letter.title), text=masking.text(letter.text))
    try:
        async with asyncio.timeout(SECONDS):
            why = channel.lacks() or await channel.send(letter)
    except TimeoutError:
        why = f"no answer within {SECONDS:g} seconds"
    return " ".join(plain(masking.text(why)).split())[:_WHY]


class Courier:
    """Brings one channel its messages, one after another."""

    def __init__(
        self,
        channel: Channel,
        outbox: Outbox,
        write: Callable[[Parcel], Letter],
        is_open: Callable[[str], bool],
        failed: Callable[[str, str], None],
    ) -> None:
        self.channel = channel
        self._outbox = outbox
        self._write = write
        self._is_open = is_open
        self._failed = failed
        self._woken = asyncio.Event()
        self._working: asyncio.Task[None] | None = None

    def put(self, news: News) -> None:
        self._outbox.put(news, time.monotonic())
        self._wake()

    async def finish(self) -> None:
        """Bring what is left; cut short, say that it did not arrive."""
        self._outbox.close()
        self._wake()
        if self._working is not None:
            await self._working

    def _wake(self) -> None:
        self._woken.set()
        if self._working is None or self._working.done():
            self._working = asyncio.ensure_future(self._work())

    async def _work(self) -> None:
        while (due := self._outbox.due(time.monotonic())) < math.inf:
            self._woken.clear()
            if (wait := due - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait):
                        await self._woken.wait()
                continue
            await self._send()

    async def _send(self) -> None:
        self._outbox.forget_answered(self._is_open)
        if not self._outbox.waiting:
            return
        parcel = self._outbox.take(time.monotonic())
        try:
            why = await deliver(self.channel, self._write(parcel))
        except asyncio.CancelledError:
            self._failed(self.channel.name, "no answer before the run ended")
            raise
        if why:
            self._outbox.give_back(parcel)
            self._failed(self.channel.name, why)


class NewsDesk:
    """Watches the journal of one run, and tells what is news to those who want it."""

    def __init__(
        self,
        channels: Sequence[Channel],
        settings: NotifySettings,
        news: Callable[[Recorded], News | None],
        write: Callable[[Parcel], Letter],
        is_open: Callable[[str], bool],
        failed: Callable[[str, str], None],
    ) -> None:
        self._wanted = frozenset(settings.on)
        self._news = news
        self._told: set[str] = set()
        self._tell = failed
        bounds = settings.group_seconds, settings.per_hour
        self._couriers = [
            Courier(one, Outbox(*bounds), write, is_open, self._failed) for one in channels
        ]

    def __call__(self, recorded: Recorded) -> None:
        news = self._news(recorded)
        if news is not None:
            self.put(news)

    def put(self, news: News) -> None:
        if self._wanted.intersection(news.occasions):
            for courier in self._couriers:
                courier.put(news)

    async def finish(self) -> None:
        """Bring what is left to be told, unless that takes too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FINISH_SECONDS):
                every = (one.finish() for one in self._couriers)
                await asyncio.gather(*every, return_exceptions=True)

    def _failed(self, channel: str, why: str) -> None:
        """Once per channel: it is tried again, and will fail for the same reason."""
        if channel not in self._told:
            self._told.add(channel)
            self._tell(channel, why)
