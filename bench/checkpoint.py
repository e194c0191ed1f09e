"""A checkpoint of 10 KB on the disk, beside a `git commit` of the same bytes."""

from __future__ import annotations

import os
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from bench.figures import Figure, against_floor, at_most, milliseconds, percentile
from bench.ground import durable_database
from ralph.domain.checkpoint import Contribution
from ralph.ledger.checkpoints import CheckpointService
from ralph.ledger.journal import Journal
from ralph.ledger.sqlite import SqliteLedger
from ralph.policy.checkpoint import Work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROUNDS = 300
COMMITS = 60
SIZE = 10_000


def durable(folder: Path) -> Iterator[Figure]:
    ledger = SqliteLedger(folder / "ledger.db")
    journal = Journal(ledger, "bench", "run", time.time)
    service = CheckpointService(journal, time.time)
    work = _work()
    body = msgspec.json.encode(service.prepare(work).checkpoint)
    assert len(body) >= SIZE
    repository = _repository(folder / "repository")
    bare = durable_database(folder / "bare.db")
    insert = "INSERT INTO events (body) VALUES (?)"
    ours, floor, git = [], [], []
    for number in range(ROUNDS):
        ours.append(milliseconds(lambda: journal.record(service.prepare(work))))
        floor.append(milliseconds(lambda: bare.execute(insert, (body.decode(),))))
        if number % (ROUNDS // COMMITS) == 0:
            git.append(milliseconds(partial(_commit, repository, number, body)))
    ledger.close()
    slow, base = percentile(ours, 0.99), percentile(floor, 0.99)
    yield Figure("durable checkpoint of 10 KB, p99", slow, "ms", "≤ 10 ms", slow <= 10, base)
    yield against_floor(
        "the same, against git commit, p99",
        percentile(git, 0.99),
        slow,
        0.5,
    )
    built = [milliseconds(partial(service.prepare, work)) for _ in range(ROUNDS)]
    yield at_most("making it, without the disk, p50", percentile(built, 0.5), 0.5)


def _work() -> Work:
    words = tuple(f"{n}: {'what was decided and why ' * 9}" for n in range(11))
    said = Contribution(decisions=words, completed=words, next_steps=words)
    return Work("US-001", 1, 1, agent="claude", why="the context is nearly full", said=said)


def _repository(path: Path) -> Path:
    path.mkdir()
    _git(path, "init", "-q")
    (path / "checkpoint.json").write_bytes(b"")
    _git(path, "add", "checkpoint.json")
    return path


def _commit(path: Path, number: int, body: bytes) -> None:
    """One process, with what git makes durable by itself."""
    (path / "checkpoint.json").write_bytes(body + str(number).encode())
    _git(path, "commit", "-q", "-m", f"checkpoint {number}", "checkpoint.json")


def _git(path: Path, *arguments: str) -> None:
    person = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    command = ("git", *person, *arguments)
    subprocess.run(command, cwd=path, check=True, env={**os.environ, "LC_ALL": "C"})
