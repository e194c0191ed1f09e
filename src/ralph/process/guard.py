from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.process import family

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_PROGRAM = "import sys; sys.path[:0] = sys.argv[2:]; from ralph.process import guard; guard.watch()"
_ALL_IS_WELL = b"."


class Guard:
    """A small process that kills our children should we die without doing it ourselves."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        # Without `site`, which takes longer than the rest of its start, it must be told where.
        places = (str(Path(__file__).parents[2]), str(Path(msgspec.__file__).parents[1]))
        me = family.owner(os.getpid())
        # Its own group, so that Ctrl-C spares it; our session, so that it is not swept.
        self._process = subprocess.Popen(
            (sys.executable, "-I", "-S", "-c", _PROGRAM, me, *places),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            process_group=0,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.communicate(_ALL_IS_WELL)


def watch() -> None:
    """Wait for the end of the Ralph that holds our standard input, then clean up after it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if os.read(0, 1) != _ALL_IS_WELL:
        family.kill_owned(sys.argv[1])
