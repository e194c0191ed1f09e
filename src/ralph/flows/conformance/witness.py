"""Runs one harness and writes down how it ended: `python -m ….witness SPEC.json`.

A process of its own, so that whatever the harness leaves behind comes back to this one: it can
tell what outlived the harness, and end it without touching anything else.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from ralph.process import family, table

MEGABYTE = 1024
"""What the kernel counts memory in."""
GRACE_SECONDS = 1.0
"""How long a process may take to die after the harness has ended."""
CANNOT_START = 127


class Spec(Struct, frozen=True):
    """What to run, and where to write down what came of it."""

    argv: tuple[str, ...]
    repo: str
    box_seconds: float
    alive: str
    """A file that the agents' processes hold a lock on."""
    facts: str


class Witnessed(Struct, frozen=True):
    ended: bool
    exit_code: int | None
    seconds: float
    memory_mb: float
    process_left: bool


def watch(spec: Spec) -> Witnessed:
    """Run the harness to its end or to the end of its time, and look what is left."""
    family.adopt()
    begun = time.monotonic()
    # not through `process.run`, which would sweep away what has to be seen here
    harness = subprocess.Popen(spec.argv, cwd=spec.repo, stdin=subprocess.DEVNULL)
    handle = os.pidfd_open(harness.pid)
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    ended = bool(waiting.poll(spec.box_seconds * 1000))
    seconds = time.monotonic() - begun
    os.close(handle)
    if not ended:
        return Witnessed(False, None, seconds, 0, process_left=False)
    _, status, used = os.wait4(harness.pid, 0)
    return Witnessed(
        ended=True,
        exit_code=os.waitstatus_to_exitcode(status),
        seconds=seconds,
        memory_mb=used.ru_maxrss / MEGABYTE,
        process_left=_is_held(spec.alive),
    )


def _is_held(path: str) -> bool:
    """Whether somebody still holds the lock when the grace is over."""

    def too_late(*_: object) -> None:
        raise TimeoutError

    lock = os.open(path, os.O_RDONLY)
    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, GRACE_SECONDS)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except TimeoutError:
        return True
    else:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        os.close(lock)


def _descendants() -> list[table.ProcessEntry]:
    """What this process has started or adopted, however deep."""
    processes = table.everyone()
    me = os.getpid()
    return [
        one
        for one in processes.values()
        if one.pid != me and not one.dead and me in table.ancestors(one.pid, processes)
    ]


def main() -> None:
    spec = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Spec)
    try:
        facts = watch(spec)
    except OSError as error:
        sys.stderr.write(f"{spec.argv[0]}: {error.strerror}\n")
        sys.exit(CANNOT_START)
    finally:
        for pause in family.kill(_descendants):
            time.sleep(pause)
    Path(spec.facts).write_bytes(msgspec.json.encode(facts))


if __name__ == "__main__":
    main()
