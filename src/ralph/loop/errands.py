"""What nobody waits for: chores that can be put off, and things that are done beside the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


class Errands:
    def __init__(self) -> None:
        self._chores: list[Callable[[], None]] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def later(self, chore: Callable[[], None]) -> None:
        """Do it when the next agent is at work, or the run rests."""
        self._chores.append(chore)

    def catch_up(self) -> None:
        """Do what was put off."""
        while self._chores:
            self._chores.pop(0)()

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Do it beside the loop."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def finish(self) -> None:
        """Wait for what is still under way; how it ended is its own business."""
        await asyncio.gather(*self._under_way, return_exceptions=True)
