"""How a person reaches a running loop: signals, and requests in the ledger."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import TYPE_CHECKING, Any, TypeVar

from ralph.domain.errors import LedgerError, RalphError
from ralph.domain.event import StopRequested

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

    from ralph.domain.activity import Activity
    from ralph.ledger.journal import Journal

T = TypeVar("T")

LOOK_SECONDS = 1.0
"""How often the ledger is asked whether another process wrote to it."""


class Interrupted(BaseException):
    """A person wants to leave now. Not an Exception: nothing on the way may swallow it."""


async def _ended(task: asyncio.Future[Any]) -> None:
    if not task.done():
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class Control:
    """Turns Ctrl-C, TERM and `ralph stop` into a stop after this iteration, or at once."""

    def __init__(
        self,
        journal: Journal,
        *,
        told: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._journal = journal
        self._told = told
        self.tick: Callable[[float], None] = lambda _: None
        """Called every second of a wait with the seconds that are left."""
        self.paused: Callable[[float], None] = lambda _: None
        """Called every second of a pause with the seconds it has taken."""
        self.acted: Callable[[Activity], None] = lambda _: None
        """Called at once with what the agent at work does."""
        self.asks = False
        """Somebody is being asked at the terminal, and may be typing."""
        self._mentioned: set[str] = set()
        self._now = asyncio.Event()
        self._signals = 0
        self.code = 130
        """What to exit with when leaving at once."""
        self.why = "Stopped by Ctrl-C."

    def mention(self, text: str) -> None:
        """Tell whoever watches, once."""
        if text not in self._mentioned:
            self._mentioned.add(text)
            self._told(text)

    @contextlib.contextmanager
    def signals(self) -> Iterator[None]:
        """Listen to the terminal while the loop runs."""
        loop = asyncio.get_running_loop()
        handlers = {signal.SIGINT: self._interrupt, signal.SIGTERM: self._terminate}
        # `nohup ralph run` is meant to outlive its terminal
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            handlers[signal.SIGHUP] = self._hang_up
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        try:
            yield
        finally:
            for number in handlers:
                loop.remove_signal_handler(number)

    def _interrupt(self) -> None:
        self._signals += 1
        if self._signals > 1:
            self._now.set()
            return
        try:
            self._journal.record(StopRequested(by="Ctrl-C"))
        except RalphError:
            # nobody could tell the loop: a full disk must not keep a person from leaving
            self._now.set()
            return
        self._told("Finishing this iteration, then stopping. Press Ctrl-C again to leave now.")

    def _terminate(self) -> None:
        self._leave("Stopped by SIGTERM.")

    def _hang_up(self) -> None:
        self._leave("Stopped: its terminal was closed.")

    def _leave(self, why: str) -> None:
        self.why = why
        self._now.set()

    async def watching(
        self, work: Coroutine[None, None, T], meanwhile: Callable[[], None] | None = None
    ) -> T:
        """Do the work, unless a person wants to leave now: then it is stopped cleanly first.

        As soon as it has begun, `meanwhile` is called.
        """
        found = await self._unless(work, lambda: False, meanwhile)
        if found is None:
            raise Interrupted
        return found[0]

    async def asking(self, work: Coroutine[None, None, T], question: str) -> T | None:
        """The same for waiting on a person; None when they stop the run or answer elsewhere."""

        def settled() -> bool:
            return bool(self._journal.state.run.stop) or not self._is_open(question)

        self.asks = True
        try:
            found = await self._unless(work, settled)
        finally:
            self.asks = False
        if self._now.is_set():
            raise Interrupted
        return found[0] if found else None

    def _is_open(self, question: str) -> bool:
        return question in self._journal.state.questions

    async def _unless(
        self,
        work: Coroutine[None, None, T],
        over: Callable[[], bool],
        meanwhile: Callable[[], None] | None = None,
    ) -> tuple[T] | None:
        """What the work came to, or None if it was ended early."""
        task = asyncio.ensure_future(work)
        leave = asyncio.ensure_future(self._wait_for_leave(over))
        try:
            if meanwhile is not None:
                await asyncio.sleep(0)
                meanwhile()
            await asyncio.wait({task, leave}, return_when=asyncio.FIRST_COMPLETED)
            return (task.result(),) if task.done() else None
        finally:
            for one in (task, leave):
                await _ended(one)

    async def _wait_for_leave(self, over: Callable[[], bool]) -> None:
        while not self._now.is_set() and not over():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._now.wait(), LOOK_SECONDS)
            self._look()

    def _look(self) -> None:
        # a look that fails ends nothing: the next one may work, and so must the next write
        with contextlib.suppress(LedgerError):
            if self._journal.ledger.changed():
                self._journal.refresh()
        if self._journal.state.run.stop_now:
            self.code = 6
            self._leave("Stopped by `ralph stop --now`.")

    async def pause(self) -> float:
        """Wait until a person resumes or stops; the seconds it took."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while self._journal.state.run.paused and not self._journal.state.run.stop:
            self.paused(loop.time() - began)
            await self._wait(LOOK_SECONDS)
        return loop.time() - began

    async def sleep(self, seconds: float, over: Callable[[], bool] = lambda: False) -> None:
        """Wait, but leave early when a person asks for something."""
        deadline = asyncio.get_running_loop().time() + seconds
        while (left := deadline - asyncio.get_running_loop().time()) > 0 and not over():
            self.tick(left)
            await self._wait(min(left, LOOK_SECONDS))
            if self._journal.state.run.stop:
                return

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._now.wait(), seconds)
        self._look()
        if self._now.is_set():
            raise Interrupted
