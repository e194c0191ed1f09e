"""One Ralph per repository: a lock that dies with its holder."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import sys
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import RunHeld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRIES = 10
"""A `ralph status` that looks holds the lock for an instant; that is no reason to give up."""
PAUSE = 0.01


class Holder(Struct, frozen=True):
    pid: int
    host: str
    started: float
    command: str


def path_in(common_dir: Path) -> Path:
    return common_dir / "ralph" / "lock"


@contextlib.contextmanager
def hold(path: Path, command: str = "") -> Iterator[Holder]:
    """Hold the lock; a RunHeld names who has it."""
    handle = _open(path, os.O_RDWR | os.O_CREAT)
    try:
        if not _take(handle, fcntl.LOCK_EX):
            raise _held(_read(handle))
        started = time.time()
        me = Holder(os.getpid(), os.uname().nodename, started, command or " ".join(sys.argv))
        _write(handle, path, me)
        yield me
    finally:
        # The file stays: removing it would let two processes lock two files of one name.
        os.close(handle)


def holder(common_dir: Path) -> Holder | None:
    """Who holds the lock now, if anyone does."""
    try:
        handle = os.open(path_in(common_dir), os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        if _take(handle, fcntl.LOCK_SH, tries=1):
            return None
        return _read(handle)
    finally:
        os.close(handle)


def _open(path: Path, flags: int) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise files.explain(error, path) from error


def _take(handle: int, how: int, tries: int = TRIES) -> bool:
    for attempt in range(tries):
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            if attempt + 1 < tries:
                time.sleep(PAUSE)
        else:
            return True
    return False


def _write(handle: int, path: Path, me: Holder) -> None:
    data = {"pid": me.pid, "host": me.host, "started": me.started, "command": me.command}
    try:
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(data).encode(), 0)
    except OSError as error:
        raise files.explain(error, path) from error


def _read(handle: int) -> Holder:
    try:
        data = json.loads(os.pread(handle, 1 << 16, 0))
        return Holder(
            int(data["pid"]), str(data["host"]), float(data["started"]), str(data["command"])
        )
    except (ValueError, KeyError, TypeError):
        return Holder(0, "", 0, "")


def _held(by: Holder) -> RunHeld:
    who = f" (pid {by.pid}, since {time.strftime('%H:%M:%S', time.localtime(by.started))})"
    return RunHeld(
        f"Another Ralph{who if by.pid else ''} is working on this repository.",
        fix="Wait for it, or stop it with `ralph stop`.",
    )
