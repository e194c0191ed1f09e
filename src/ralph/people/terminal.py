from __future__ import annotations

import asyncio
import contextlib
import os
import termios
from typing import TYPE_CHECKING

from ralph.domain.question import Choice, Reply
from ralph.people import wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.question import Question

MAX_LINE = 64 * 1024


class Inbox:
    """Nobody is asked now: the question waits until someone answers it."""

    async def ask(self, question: Question) -> Reply | None:  # noqa: ARG002 - the port's signature
        return None


class Terminal:
    """Asks the person at the terminal; gives up after `timeout` seconds without a line."""

    def __init__(self, show: Callable[[str], None], *, timeout: float, fd: int = 0) -> None:
        self._show = show
        self._fd = fd
        self._seconds = timeout
        self._turn = asyncio.Lock()

    async def ask(self, question: Question) -> Reply | None:
        async with self._turn:
            if self._seconds <= 0 or _in_background(self._fd):
                return None
            # Anything typed before the question was shown does not answer it.
            _forget_typed(self._fd)
            self._show(wording.escalation(question, self._seconds))
            try:
                reply = await self._answer(question, _Lines(self._fd, self._seconds))
            except TimeoutError:
                self._show(wording.parked(question.id, self._seconds))
                return None
            except EOFError:
                reply = None
            if reply is None:
                self._show(wording.parked(question.id))
            return reply

    async def _answer(self, question: Question, lines: _Lines) -> Reply | None:
        """None if the person parks it."""
        while True:
            line = await lines.next()
            if wording.wants_to_park(line):
                return None
            if wording.wants_custom(line):
                if guidance := await self._guidance(lines):
                    return Reply(Choice.GUIDANCE, text=guidance)
                self._show(wording.NO_GUIDANCE)
            elif reply := wording.parse_reply(line, question.options):
                return reply
            else:
                self._show(wording.misunderstood(line, question.options))

    async def _guidance(self, lines: _Lines) -> str:
        self._show("Your guidance (end with an empty line):")
        said: list[str] = []
        while line := (await lines.next()).rstrip():
            said.append(line)
        return "\n".join(said)


class _Lines:
    """Lines from a file descriptor without a thread, each awaited for a limited time."""

    def __init__(self, fd: int, seconds: float) -> None:
        self._fd = fd
        self._seconds = seconds
        self._buffer = b""

    async def next(self) -> str:
        """The next line without its end; an EOFError when there will be no more."""
        async with asyncio.timeout(self._seconds):
            while b"\n" not in self._buffer and len(self._buffer) < MAX_LINE:
                chunk = await self._chunk()
                if not chunk:
                    raise EOFError
                self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    async def _chunk(self) -> bytes:
        await _readable(self._fd)
        if _in_background(self._fd):
            return b""
        try:
            return os.read(self._fd, MAX_LINE)
        except OSError:
            # A terminal that has gone away reads as an error.
            return b""


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    try:
        loop.add_reader(fd, _wake, ready)
    except PermissionError:
        # An ordinary file is always readable and cannot be watched.
        return
    try:
        await ready
    finally:
        loop.remove_reader(fd)


def _wake(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _in_background(fd: int) -> bool:
    """Whether reading would stop this process, as it does for `ralph run &`."""
    try:
        return os.tcgetpgrp(fd) != os.getpgrp()
    except OSError:
        return False


def _forget_typed(fd: int) -> None:
    with contextlib.suppress(termios.error):
        termios.tcflush(fd, termios.TCIFLUSH)
