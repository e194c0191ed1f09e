"""Runs checks, and hears what their runners say of single tests, while they run if need be."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ralph import files
from ralph.domain.tests import TestReport
from ralph.domain.verdict import CheckResult
from ralph.process.waiting import give_up

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from ralph.checks.commands import Checker
    from ralph.domain.task import Command
    from ralph.process import Finished
    from ralph.proof.runners.reading import Reading

NO_MORE = "was stopped at the first test that failed"
NO_END = "was not waited for after its last test"
PAUSE = 0.25
REST = 15
"""Times as long as the last look took that nobody looks again: long reports take long to read."""


class Checked(NamedTuple):
    """What came of the checks."""

    results: tuple[CheckResult, ...]
    reports: tuple[TestReport | None, ...]
    stopped: bool = False
    """Whether the last of them was not waited for."""


async def tried(
    checker: Checker,
    commands: Sequence[Command],
    root: Path,
    logs: Path,
    name: str,
    *,
    seconds: float = 0,
    until: Callable[[TestReport], bool] | None = None,
    grace: float = 0,
) -> Checked:
    """The checks in order, with what each command's runner says of single tests.

    A command that fails ends it, unless it names the tests that made it fail. `seconds` is
    for each of them, if that is less than they have anyway. Once what was reported is `until`,
    it has `grace` seconds to end, and is not waited for any longer.
    """
    from ralph.proof.runners.reading import instrument  # many formats, needed by the first check

    env = checker.environment(root)
    results: list[CheckResult] = []
    reports: list[TestReport | None] = []
    for number, command in enumerate(commands, 1):
        with files.scratch("ralph-check-") as scratch:
            reading = instrument(command, root, env, Path(scratch))
            log = logs / f"{name}-check-{number}.log"
            seen = {**env, **reading.env}
            running = checker.start(reading.argv, root, seen, log, seconds, (Path(scratch),))
            if until is None:
                finished = await running
            else:
                heard = await _ended_or(running, reading, log, until, grace)
                if isinstance(heard, TestReport):
                    why = NO_END if told_all(heard) else NO_MORE
                    given_up = _given_up(command, reading.plain(files.read(log) or b""), why)
                    heard = replace(heard, problems=())  # that it has not ended is no fault of it
                    return Checked((*results, given_up), (*reports, heard), stopped=True)
                finished = heard
            reports.append(reading.read(_whole(finished), finished.exit_code))
        result = checker.result(command, root, _without_us(finished, reading), seconds)
        results.append(result)
        if not result.passed and not (reports[-1] and reports[-1].red):
            break
    return Checked(tuple(results), tuple(reports))


def told_all(report: TestReport) -> bool:
    """Whether the runner has told all there is to tell: some never end after a test that failed."""
    return bool(report.results) and not report.problems


def _given_up(command: Command, output: bytes, why: str) -> CheckResult:
    from ralph.reading.signature import signature, tail  # many patterns, needed by the first check

    said = output.decode("utf-8", "replace")
    return CheckResult(command, False, None, 0, tail(said), signature(said), why=why)


def _without_us(finished: Finished, reading: Reading) -> Finished:
    """The output as it would be had nobody asked for single tests."""
    head, tail = reading.plain(finished.head), reading.plain(finished.tail)
    less = len(finished.head) + len(finished.tail) - len(head) - len(tail)
    return replace(finished, head=head, tail=tail, output_bytes=finished.output_bytes - less)


def _whole(finished: Finished) -> bytes:
    """All of the output, as far as its log has it."""
    kept = finished.head + finished.tail
    if len(kept) == finished.output_bytes or not finished.log:
        return kept
    return files.read(Path(finished.log)) or kept


async def _ended_or(
    running: Coroutine[None, None, Finished],
    reading: Reading,
    log: Path,
    enough: Callable[[TestReport], bool],
    grace: float,
) -> Finished | TestReport:
    """What became of it; or what it reported so far, once that is enough: then it is ended."""
    check = asyncio.ensure_future(running)
    ear = asyncio.ensure_future(_listen(reading, log, enough))
    try:
        await asyncio.wait((check, ear), return_when=asyncio.FIRST_COMPLETED)
        if grace and not check.done():
            await asyncio.wait((check,), timeout=grace)
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
