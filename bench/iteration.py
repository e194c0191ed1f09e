"""Overhead per iteration, against the least that starting, committing and recording cost."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from bench.figures import TIMES, Figure, against_floor, milliseconds
from bench.ground import durable_database, ground, name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from bench.ground import Ground

ROUNDS = 4
PER_ROUND = 25
"""Enough that what a run does once, at its start, does not show in the median."""


def overhead(folder: Path) -> Iterator[Figure]:
    yield _overhead(folder, files=100, tasks=ROUNDS * PER_ROUND)


def overhead_large(folder: Path) -> Iterator[Figure]:
    yield _overhead(folder, files=50_000, tasks=2 * PER_ROUND, rounds=2)


def many_tasks(folder: Path) -> Iterator[Figure]:
    """The plan's file is written by every landing, so writing it is added to the floor."""
    few = ground(folder / "few", tasks=ROUNDS * PER_ROUND)
    many = ground(folder / "many", tasks=10_000)
    rounds = [(cycles(few), cycles(many)) for _ in range(ROUNDS)]
    ours = median(time for _, times in rounds for time in times)
    floor = median(time for times, _ in rounds for time in times)
    written = median(milliseconds(lambda: _write_plan(many)) for _ in range(11))
    yield Figure(
        f"iteration with 10,000 tasks, against {ROUNDS * PER_ROUND}",
        ours,
        "ms",
        f"≤ 1.5 {TIMES} + {written:.0f} ms to write the file",
        ours <= 1.5 * floor + written,
        floor,
    )


def cycles(place: Ground, count: int = PER_ROUND) -> list[float]:
    """Milliseconds from one iteration's beginning to the next one's."""
    events = place.run("--max-iterations", str(count))
    began = [event["at"] for event in events if event["event"] == "IterationStarted"]
    return [(after - before) * 1000 for before, after in pairwise(began)]


def _overhead(folder: Path, *, files: int, tasks: int, rounds: int = ROUNDS) -> Figure:
    place = ground(folder / "ours", files=files, tasks=tasks)
    bare = Floor(ground(folder / "floor", files=files, tasks=tasks))
    times = [(bare.cycles(PER_ROUND), cycles(place)) for _ in range(rounds)]
    floor = median(time for one, _ in times for time in one)
    ours = median(time for _, other in times for time in other)
    return against_floor(f"iteration in a repository of {files:,} files", floor, ours, 2)


class Floor:
    """Start the agent, add, commit, and write one event so that it survives a power cut."""

    def __init__(self, place: Ground) -> None:
        self.place = place
        self.done = 0
        self.db: sqlite3.Connection = durable_database(place.folder / "floor.db")

    def cycles(self, count: int) -> list[float]:
        return [milliseconds(self.one) for _ in range(count)]

    def one(self) -> None:
        self.done += 1
        place, task = self.place, name(self.done)
        env = place.environment | {"RALPH_TASK_ID": task}
        subprocess.run(
            ("sh", str(place.agent_file)), cwd=place.root, env=env, check=True, capture_output=True
        )
        place.git("add", "--all")
        place.git("commit", "-q", "-m", task)
        self.db.execute("INSERT INTO events (body) VALUES (?)", (task,))


def _write_plan(place: Ground) -> None:
    """Twice, as git and the work tree need it."""
    from ralph import files

    data = (place.root / "PRD.json").read_bytes()
    files.write(place.folder / "written", data)
    place.git("hash-object", "-w", "PRD.json")
