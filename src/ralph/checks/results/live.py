"""What a runner reports while it runs: a red test need not wait for the others."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from ralph import files
from ralph.process.waiting import give_up

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from ralph.checks.results.reading import Reading
    from ralph.domain.tests import TestReport
    from ralph.process import Finished

PAUSE = 0.25
REST = 15
"""Times as long as the last look took that nobody looks again: long reports take long to read."""


async def ended_or(
    running: Coroutine[None, None, Finished],
    reading: Reading,
    log: Path,
    enough: Callable[[TestReport], bool],
) -> Finished | TestReport:
    """What became of it; or what it reported so far, once that is enough: then it is ended."""
    check = asyncio.ensure_future(running)
    ear = asyncio.ensure_future(_listen(reading, log, enough))
    try:
        await asyncio.wait((check, ear), return_when=asyncio.FIRST_COMPLETED)
        return check.result() if check.done() else ear.result()
    finally:
        await give_up(check, ear)


async def _listen(reading: Reading, log: Path, enough: Callable[[TestReport], bool]) -> TestReport:
    seen = -1
    while True:
        begun = time.monotonic()
        size = await asyncio.to_thread(_size, reading.scratch, log)
        if size != seen:
            seen = size
            report = await asyncio.to_thread(_so_far, reading, log)
            if report is not None and enough(report):
                return report
        await asyncio.sleep(max(PAUSE, REST * (time.monotonic() - begun)))


def _so_far(reading: Reading, log: Path) -> TestReport | None:
    return reading.so_far(files.read(log) or b"")


def _size(scratch: Path, log: Path) -> int:
    """How much was reported and printed."""
    sizes = 0
    for path in (*scratch.glob("*.json*"), log):
        try:
            sizes += path.lstat().st_size
        except OSError:
            continue
    return sizes
