"""The ledger: how long until an event is on the disk, and until a long history is known again."""

from __future__ import annotations

import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from bench.figures import Figure, at_most, milliseconds, percentile
from bench.ground import durable_database
from ralph.domain.answer import Ended
from ralph.domain.decision import Action, Outcome
from ralph.domain.event import AgentFinished, Decided, IterationEnded, Verified
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level, Verdict
from ralph.ledger.journal import Journal
from ralph.ledger.sqlite import SqliteLedger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.event import Event

APPENDS = 1000
EVENTS = 100_000


def append(folder: Path) -> Iterator[Figure]:
    bare = durable_database(folder / "bare.db")
    ledger = SqliteLedger(folder / "ledger.db")
    journal = Journal(ledger, "bench", "run", time.time)
    floor, one, three = [], [], []
    insert = "INSERT INTO events (body) VALUES (?)"
    for number in range(APPENDS):
        events = iteration(number)
        floor.append(milliseconds(lambda: bare.execute(insert, ("x" * 300,))))
        one.append(milliseconds(partial(journal.record, events[0])))
        three.append(milliseconds(partial(journal.record, *events[1:])))
    base = median(floor)
    yield _p99("durable append of one event, p99", percentile(floor, 0.99), percentile(one, 0.99))
    yield _p99("durable append of three, p99", percentile(floor, 0.99), percentile(three, 0.99))
    yield Figure("durable append of one event, median", median(one), "ms", "-", True, base)
    ledger.close()


def _p99(what: str, floor: float, ours: float) -> Figure:
    return Figure(what, ours, "ms", "≤ 5 ms", ours <= 5, floor)


def resume(folder: Path) -> Iterator[Figure]:
    """As a new process would: open, take the snapshot, fold the rest, decide nothing yet."""
    path = folder / "ledger.db"
    ledger = SqliteLedger(path)
    for start in range(0, EVENTS // 4, 500):
        batch = [e for n in range(start, start + 500) for e in iteration(n)]
        ledger.append("bench", "run", batch, time.time())
    Journal(ledger, "bench", "run", time.time).close()
    # a run that is killed leaves up to a thousand events behind its last snapshot
    ledger.append("bench", "run", [e for n in range(240) for e in iteration(n)], time.time())
    ledger.close()
    yield at_most("resume with 100,000 events", median(_resume(path) for _ in range(7)), 300)


def _resume(path: Path) -> float:
    def work() -> None:
        ledger = SqliteLedger(path)
        assert Journal(ledger, "bench", "run", time.time).state.seq > EVENTS
        ledger.close()

    return milliseconds(work)


def iteration(number: int) -> list[Event]:
    task = f"US-{number % 1000:05}"
    return [
        AgentFinished(
            iteration=number,
            task=task,
            ended=Ended.EXITED,
            exit_code=0,
            seconds=1.5,
            output_bytes=2000,
            tail=f"Working on {task}.\n" * 20,
            usage=Usage(),
        ),
        Verified(number, Verdict(True, Level.GREEN, "passed", "0" * 40, "")),
        IterationEnded(
            iteration=number, task=task, outcome=Outcome.SUCCESS, why="done", seconds=2.0
        ),
        Decided(number, Action.CONTINUE, "done"),
    ]
