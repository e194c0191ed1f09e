"""Runs `ralph` and does it harm right before the n-th thing it does to the outside world.

Usage: failpoint.py COUNTER HARM N ARGUMENTS…, where HARM is `kill`, or `full` for a disk on which
nothing can be written any more from then on. With N = 0 nothing happens, and the number of points
is written into the file COUNTER. What happens inside git is left to kills at random moments and
to disks that are really full.
"""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

NEEDS_SPACE = {"os.link", "os.mkdir", "os.rename", "os.symlink"}
CHANGES = {
    *NEEDS_SPACE,
    "fcntl.flock",
    "os.chmod",
    "os.remove",
    "os.rmdir",
    "os.truncate",
    "subprocess.Popen",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Points:
    """Counts what is about to happen, and does the harm when its time has come."""

    def __init__(self, harm: str, number: int) -> None:
        self.full = harm == "full"
        self.number = number
        self.passed = 0

    def step(self) -> bool:
        """Whether this one must fail."""
        self.passed += 1
        if self.full:
            return 0 < self.number <= self.passed
        if self.passed == self.number:
            os.kill(os.getpid(), signal.SIGKILL)
        return False

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        counted = event in (NEEDS_SPACE if self.full else CHANGES)
        if (counted or _writes(event, arguments)) and self.step():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def transaction(self) -> None:
        if self.step():
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error


def _writes(event: str, arguments: tuple[Any, ...]) -> bool:
    if event != "open" or not isinstance(arguments[2], int) or not arguments[2] & WRITING:
        return False
    name = str(arguments[0])
    return "__pycache__" not in name and name != os.devnull


def tap_sqlite(points: Points) -> None:
    """Before and after each transaction: the audit hook does not see what the database does."""

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            if sql == "COMMIT":
                points.transaction()
            cursor = super().execute(sql, *rest)
            if sql == "COMMIT" and not points.full:
                points.transaction()
            return cursor

    connect = sqlite3.connect

    def tapped(*arguments: Any, **options: Any) -> sqlite3.Connection:
        return connect(*arguments, factory=Connection, **options)

    sqlite3.connect = tapped  # type: ignore[assignment]  # what `ralph` uses of it


def main() -> None:
    counter, harm, number, *arguments = sys.argv[1:]
    from ralph.ui.cli.main import enter

    points = Points(harm, int(number))
    tap_sqlite(points)
    sys.addaudithook(points.hook)
    code = enter(arguments)
    points.number = 0
    Path(counter).write_text(str(points.passed), encoding="utf-8")
    sys.exit(code)


if __name__ == "__main__":
    main()
