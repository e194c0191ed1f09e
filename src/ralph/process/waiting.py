from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")


class ExitWatch:
    """Calls `then` once when a process has ended, without taking its status."""

    def __init__(self, pid: int, then: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._then = then
        self._handle = -1
        try:
            self._handle = os.pidfd_open(pid)
        except (AttributeError, OSError):
            name = f"wait for {pid}"
            threading.Thread(target=self._wait, args=(pid,), daemon=True, name=name).start()
        else:
            self._loop.add_reader(self._handle, self._ended)

    def close(self) -> None:
        if self._handle >= 0:
            self._loop.remove_reader(self._handle)
            os.close(self._handle)
            self._handle = -1

    def _ended(self) -> None:
        self.close()
        self._then()

    def _wait(self, pid: int) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        # The loop may be closed by now; then nobody waits any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._then)


async def all_gone(pids: Iterable[int], seconds: float) -> None:
    """Wait until all of these have ended, but not for longer than that."""
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    handles: set[int] = set()

    def ended(handle: int) -> None:
        loop.remove_reader(handle)
        os.close(handle)
        handles.discard(handle)
        if not handles:
            done.set()

    for pid in pids:
        with contextlib.suppress(AttributeError, OSError):
            handles.add(os.pidfd_open(pid))
    for handle in handles:
        loop.add_reader(handle, ended, handle)
    if handles:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), seconds)
    for handle in tuple(handles):
        ended(handle)


async def in_thread(work: Callable[[], T]) -> T:
    """Its result. A thread cannot be ended: who is cancelled leaves when it is done."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    cancelled = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()  # nobody hears of it
        raise cancelled
    return task.result()


async def give_up(*tasks: asyncio.Future[Any]) -> None:
    """Cancel these; nobody waits for the last words of what they run.

    Who is cancelled meanwhile leaves when they are done all the same: what they run has ended then.
    """
    cancelled = None
    for one in tasks:
        one.cancel()
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        cancelled = error
    for one in tasks:
        one.cancel()  # the second time says that there is no time for grace
    while left := [one for one in tasks if not one.done()]:
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as error:
            cancelled = error
    for one in tasks:
        if not one.cancelled():
            one.exception()  # nobody hears of it
    if cancelled is not None:
        raise cancelled
