from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.domain.answer import Ended
from ralph.domain.task import SHELL
from ralph.process import family, table
from ralph.process.capture import Capture
from ralph.process.child import Finished, Pulse
from ralph.process.fenced import fenced
from ralph.process.pipes import Pipes
from ralph.process.waiting import ExitWatch, all_gone
from ralph.process.walls import prefix, proxied

if TYPE_CHECKING:
    from ralph.process.child import Child
    from ralph.process.fenced import Fenced
    from ralph.process.table import ProcessEntry

TERM_SECONDS = 0.5
"""How long descendants have between TERM and KILL."""
KILL_SECONDS = 5
"""How long a killed child may take to go; one of another user's never does."""
LOOK_SECONDS = 1.0
"""How often somebody looks at what the child takes of the machine, where that is limited."""
LEFTOVER_SECONDS = 0.2
"""The same for those that outlive a child that ended by itself."""

UNSEEN = ("XDG_RUNTIME_DIR", "TMPDIR")
"""Variables that name what is not there between walls."""

_NOT_FOUND = 127
_NOT_RUNNABLE = 126
_SIGNALLED = 128


async def run(child: Child) -> Finished:
    """Run the child to its end and sweep its descendants. Cancelling stops it, then re-raises."""
    begun = time.monotonic()
    try:
        running = _Running(child)
    except (OSError, ValueError) as error:
        return _not_started(child, error, time.monotonic() - begun)
    cancelled = await running.finish()
    if cancelled is not None:
        raise cancelled
    return running.finished(time.monotonic() - begun)


class _Running:
    """One child between its start and the death of its last descendant."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.tag = os.urandom(16).hex()
        self.loop = asyncio.get_running_loop()
        self.over: asyncio.Future[Ended] = self.loop.create_future()
        """Done when the child has ended or has to be ended."""
        self.exited = asyncio.Event()
        self.hurry = asyncio.Event()
        """Set when there is no more time for grace."""
        self.error = ""
        self.fenced: Fenced | None = None
        self.heard = self.loop.time()
        self.timers: dict[Ended, asyncio.TimerHandle] = {}
        self.pipes = Pipes(child.stdin, self._take, stays=child.on_start is not None)
        self.capture = Capture(child)
        try:
            self.process = self._spawn()
        except (OSError, ValueError):
            self.pipes.close()
            self.capture.close()
            self._clean_up()
            raise
        family.enter(self.process.pid)
        self.watch = ExitWatch(self.process.pid, self._exit)
        self.pipes.start()
        self._start_timers()
        for tell in (child.attach, child.on_start):
            if tell is not None:
                tell(self)

    def _spawn(self) -> subprocess.Popen[bytes]:
        child = self.child
        if not child.argv:
            raise ValueError("there is no command")
        family.adopt()
        family.catch_ignored()
        before: tuple[str, ...] = ()
        env = {**child.env, **family.tags(self.tag)}
        if child.walls is not None and child.walls.is_fence:
            _look_for(child)
            self.fenced = fenced(child.walls, map(str, child.touches))
            before, env = self.fenced.prefix, env | self.fenced.env
        elif child.walls is not None:
            # their end ends all that is between them: nobody has to be found by tags, which tell
            _look_for(child)
            before = prefix(child.walls, map(str, child.touches))
            seen = {**child.env, **family.whose(child.env)}.items()
            env = {n: v for n, v in seen if n not in UNSEEN or Path(v) in child.touches}
            env |= proxied(child.walls)
        return subprocess.Popen(
            (*before, *child.argv),
            cwd=child.cwd,
            env=env,
            stdin=self.pipes.child_input if self.pipes.child_input >= 0 else subprocess.DEVNULL,
            stdout=self.pipes.child_output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    async def finish(self) -> asyncio.CancelledError | None:
        """Wait for the end, or bring it about; nothing is left running when this returns."""
        cancelled = None
        try:
            await self.over
        except asyncio.CancelledError as error:
            cancelled = error
        ending = self.loop.create_task(self._end())
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError as error:
                cancelled = error
                self.hurry.set()
        ending.result()
        return cancelled

    def send(self, data: bytes) -> None:
        self.pipes.send(data)

    def end_input(self) -> None:
        self.pipes.end_input()

    def stop(self) -> None:
        """End the child as a limit would; it counts as stopped on request."""
        self._over(Ended.STOPPED)

    def pulse(self) -> Pulse | None:
        """A look at all processes of this machine: some milliseconds. None where one cannot see."""
        found = self._relatives()
        if not found:
            return None
        return Pulse(
            silent=self.loop.time() - self.heard,
            processor=sum(table.processor_seconds(one.pid) for one in found),
            # of a shell that was started for the command alone, the command is the child itself
            children=max(len(found) - 1 - (self.child.argv[:2] == SHELL) - self._keepers, 0),
        )

    def finished(self, seconds: float) -> Finished:
        code, ended = self.process.returncode, self.over.result()
        if code is not None and code < 0:
            code = _SIGNALLED - code
            ended = Ended.KILLED if ended is Ended.EXITED else ended
        return Finished(
            ended=ended,
            exit_code=code,
            seconds=seconds,
            output_bytes=self.capture.total,
            head=self.capture.head,
            tail=self.capture.tail,
            sha256=self.capture.sha256,
            log=self.capture.log,
            error=self.error or self.capture.error,
        )

    async def _end(self) -> None:
        try:
            if not self.exited.is_set():
                await self._stop()
            self.pipes.drain()
            if not family.adopt() or family.reap():
                await self._sweep()
        finally:
            family.leave(self.process.pid)
            for timer in self.timers.values():
                timer.cancel()
            self.watch.close()
            self.pipes.close()
            self.capture.close()
            self._clean_up()

    def _clean_up(self) -> None:
        if self.fenced is not None:
            self.fenced.remove()

    @property
    def _is_walled(self) -> bool:
        """Whether its processes are among themselves."""
        return self.child.walls is not None and not self.child.walls.is_fence

    @property
    def _keepers(self) -> int:
        """Processes of the walls themselves: one outside, one inside."""
        return 2 if self._is_walled else 0

    async def _stop(self) -> None:
        if not self._is_walled:
            self._signal_group(signal.SIGINT)
        else:
            self._signal_inside(signal.SIGINT)
        if not await self._exits_within(self.child.grace_seconds):
            self._signal_inside(signal.SIGTERM)
            await self._exits_within(min(TERM_SECONDS, self.child.grace_seconds))
        await self._kill_all()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), KILL_SECONDS)
        if not self.exited.is_set():
            self.error = f"Process {self.process.pid} cannot be killed; end it by hand."

    async def _sweep(self) -> None:
        """End what outlived the child."""
        found = self._signal_inside(signal.SIGTERM)
        if found and not self.hurry.is_set():
            await all_gone([one.pid for one in found], LEFTOVER_SECONDS)
        await self._kill_all()

    async def _kill_all(self) -> None:
        if not (family.LINUX and self.exited.is_set()):
            self._signal_group(signal.SIGKILL)
        for pause in family.kill(self._relatives):
            await asyncio.sleep(pause)

    async def _exits_within(self, seconds: float) -> bool:
        """Whether the child ended in time; being in a hurry cuts the time short."""
        waits = [self.loop.create_task(event.wait()) for event in (self.exited, self.hurry)]
        await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self.exited.is_set()

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def _signal_inside(self, number: int) -> list[ProcessEntry]:
        """Signal the child and what came of it; what keeps the walls would tear them down."""
        found = self._relatives()
        if self._is_walled:
            outer = {one.pid for one in found if one.pid == self.process.pid}
            inner = {one.pid for one in found if one.parent in outer}
            found = [one for one in found if one.pid not in outer | inner]
        for one in found:
            family.send(one, number)
        return found

    def _relatives(self) -> list[ProcessEntry]:
        return family.relatives(self.tag, self.process.pid)

    def _take(self, data: bytes) -> None:
        self.heard = self.loop.time()
        self.capture.add(data)

    def _exit(self) -> None:
        self.process.wait()
        self.exited.set()
        self._over(Ended.EXITED)

    def _over(self, ended: Ended) -> None:
        if not self.over.done():
            self.over.set_result(ended)

    def _start_timers(self) -> None:
        if self.child.wall_seconds:
            self._timer(Ended.TIMEOUT, self.child.wall_seconds)
        if self.child.idle_seconds:
            self._timer(Ended.IDLE, self.child.idle_seconds)
        walls = self.child.walls
        if walls is not None and (walls.processes or walls.memory):
            self._timer(Ended.EXCESS, LOOK_SECONDS)

    def _timer(self, kind: Ended, seconds: float) -> None:
        self.timers[kind] = self.loop.call_later(seconds, self._ring, kind)

    def _ring(self, kind: Ended) -> None:
        quiet = self.loop.time() - self.heard
        if kind is Ended.IDLE and quiet < self.child.idle_seconds:
            self._timer(kind, self.child.idle_seconds - quiet)
        elif kind is Ended.EXCESS and not self._excess():
            self._timer(kind, LOOK_SECONDS)
        else:
            self._over(kind)

    def _excess(self) -> str:
        """What it takes that it may not."""
        walls, found = self.child.walls, self._relatives()
        if walls is None or self.over.done():
            return ""
        if 0 < walls.processes < len(found):
            most = f"safety.processes allows {walls.processes}"
            self.error = f"it had {len(found)} processes, and {most}."
        elif 0 < walls.memory < (held := sum(table.memory(one.pid) for one in found)):
            most = f"safety.memory_gb allows {walls.memory / (1 << 30):.1f} GB"
            self.error = f"it held {held / (1 << 30):.1f} GB of memory, and {most}."
        return self.error


def _not_started(child: Child, error: OSError | ValueError, seconds: float) -> Finished:
    program = next(iter(child.argv), "")
    code, why = _NOT_RUNNABLE, f"could not be started: {_reason(error)}."
    if not child.cwd.is_dir():
        why = f"could not be started: there is no folder {child.cwd}."
    elif isinstance(error, FileNotFoundError):
        there = (child.cwd / program).is_file()
        code, why = _NOT_FOUND, "needs a program that was not found." if there else "was not found."
    elif isinstance(error, PermissionError):
        why = "may not be executed."
    return Finished(Ended.NOT_STARTED, code, seconds, error=f"`{program}` {why}")


def _look_for(child: Child) -> None:
    """Raise what starting the program itself would, were there no walls to be started first."""
    if not child.cwd.is_dir():
        raise FileNotFoundError
    program = child.argv[0]
    if "/" not in program:
        if shutil.which(program, path=child.env.get("PATH", os.defpath)) is None:
            raise FileNotFoundError
        return
    path = child.cwd / program
    if not path.exists():
        raise FileNotFoundError
    if not path.is_file() or not os.access(path, os.X_OK):
        raise PermissionError


def _reason(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
