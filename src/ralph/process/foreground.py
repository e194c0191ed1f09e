"""A child that has the user's own terminal: the keyboard and Ctrl-C are its, until it leaves."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.process import family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from ralph.domain.task import Command

LOOK_SECONDS = 0.05
LEAVE_SECONDS = 5.0
"""How long a child that was asked to leave may take."""
_WAITS_FOR_TERMINAL = (signal.SIGTTIN, signal.SIGTTOU)
_PLAIN = "\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[0m"
"""Cursor on, no bracketed paste, no reports of the focus, no colour: as it is without a program."""


class Left(Struct, frozen=True):
    """How a child gave the terminal back."""

    exit_code: int
    over: bool
    """Whether what it was to do was done."""
    ended: bool = False
    """Whether it had to be ended, because it stayed."""


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def attend(
    argv: Command,
    *,
    cwd: Path,
    env: Mapping[str, str],
    over: Callable[[], bool],
    linger: float,
) -> Left:
    """Run a program at the terminal. Once `over` says so, it has `linger` seconds to leave."""
    family.adopt()
    family.catch_ignored()
    tag = os.urandom(16).hex()
    with _terminal() as own:
        # a group of its own, so that Ctrl-C reaches it and not Ralph
        child = subprocess.Popen(
            argv, cwd=cwd, env={**env, **family.tags(tag)}, process_group=0 if own else None
        )
        family.enter(child.pid)
        sitting = _Sitting(child, own, over, linger)
        try:
            sitting.hand_over()
            return sitting.wait()
        finally:
            family.kill_tagged(tag)
            child.wait()
            family.leave(child.pid)


class _Sitting:
    """One child at the terminal."""

    def __init__(
        self, child: subprocess.Popen[bytes], own: bool, over: Callable[[], bool], linger: float
    ) -> None:
        self._child = child
        self._own = own
        self._over = over
        self._linger = linger
        self._is_over = False
        self._until = 0.0
        self._asked = False

    def hand_over(self) -> None:
        """Give it the terminal; it may have stopped already because it had to wait for that."""
        if self._own:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(0, self._child.pid)
            self._signal(signal.SIGCONT)

    def wait(self) -> Left:
        while True:
            pid, status = os.waitpid(self._child.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                self._stopped(os.WSTOPSIG(status))
            elif pid:
                # Popen must not wait for it again
                self._child.returncode = os.waitstatus_to_exitcode(status)
                return Left(_code(status), self._is_over or self._over(), self._asked)
            self._look(time.monotonic())
            time.sleep(LOOK_SECONDS)

    def _look(self, now: float) -> None:
        if not self._is_over:
            self._is_over = self._over()
            self._until = now + self._linger
        elif now >= self._until:
            self._signal(signal.SIGKILL if self._asked else signal.SIGTERM)
            self._until = now + LEAVE_SECONDS
            self._asked = True

    def _stopped(self, by: int) -> None:
        """Ctrl-Z stops Ralph too, so that the shell is back; `fg` brings both on again."""
        if self._own and by not in _WAITS_FOR_TERMINAL:
            os.tcsetpgrp(0, os.getpgrp())
            os.kill(os.getpid(), signal.SIGTSTP)
        self.hand_over()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._own:
                os.killpg(self._child.pid, number)
            else:
                os.kill(self._child.pid, number)


def _code(status: int) -> int:
    """As a shell says it: 128 and the signal's number for one that was ended by a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _terminal() -> Iterator[bool]:
    """The terminal comes back as it was; says whether it can be given to another group."""
    import termios

    before: list[Any] | None = None
    with contextlib.suppress(termios.error):
        before = termios.tcgetattr(0)
    try:
        own = os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        own = False  # not the terminal of this session: signals come from elsewhere
    # taking the terminal back from the background would stop us
    handler = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        yield own
    finally:
        if own:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(0, os.getpgrp())
        if before is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTTOU, handler)
        if before is not None and os.environ.get("TERM", "dumb") != "dumb":
            sys.stdout.write(_PLAIN)
            sys.stdout.flush()
