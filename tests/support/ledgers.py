"""Where ledgers live: opened like by another process, changed behind their back."""

from __future__ import annotations

import sqlite3
import uuid
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

import psycopg

from ralph.domain.answer import Ended
from ralph.domain.decision import Action, Outcome, Trigger
from ralph.domain.event import (
    AgentFinished,
    Decided,
    IterationEnded,
    IterationStarted,
    Verified,
    Waited,
)
from ralph.domain.usage import Usage
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.ledger.journal import Ledger as LoopLedger
from ralph.ledger.memory import MemoryLedger, Store
from ralph.ledger.postgres import PostgresLedger
from ralph.ledger.sqlite import SqliteLedger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.support.postgres import Database

    from ralph.domain.event import Event, Recorded


class Ledger(LoopLedger, Protocol):
    """The loop's port and what reports read besides."""

    def of_kinds(
        self,
        project: str,
        kinds: Sequence[str],
        limit: int | None = None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Recorded]: ...
    def across(self, kinds: Sequence[str], after: int = 0) -> Iterator[Recorded]: ...
    def of_iteration(self, project: str, iteration: int) -> Iterator[Recorded]: ...
    def of_task(self, project: str, task: str) -> Iterator[Recorded]: ...
    def projects(self) -> list[str]: ...
    def verify(self, expected_head: str | None = None) -> int: ...
    def contains(self, digest: str) -> bool: ...


class House(Protocol):
    """Where a ledger lives: opened like by another process, changed behind its back."""

    def open(self) -> Ledger: ...
    def change_body(self, seq: int, body: str) -> None: ...
    def change_kind(self, seq: int, kind: str) -> None: ...
    def delete(self, seq: int) -> None: ...
    def swap(self, one: int, other: int) -> None: ...
    def change_snapshot(self, body: str) -> None: ...


class InMemory:
    def __init__(self) -> None:
        self.store = Store()

    def open(self) -> Ledger:
        return MemoryLedger(self.store)

    def change_body(self, seq: int, body: str) -> None:
        entries = self.store.entries
        entries[seq - 1] = entries[seq - 1]._replace(body=body.encode())

    def change_kind(self, seq: int, kind: str) -> None:
        self.store.entries[seq - 1] = self.store.entries[seq - 1]._replace(kind=kind)

    def delete(self, seq: int) -> None:
        del self.store.entries[seq - 1]

    def swap(self, one: int, other: int) -> None:
        entries = self.store.entries
        first, second = entries[one - 1], entries[other - 1]
        entries[one - 1] = second._replace(seq=one)
        entries[other - 1] = first._replace(seq=other)

    def change_snapshot(self, body: str) -> None:
        from msgspec.structs import replace

        kept = self.store.snapshots
        kept.update({name: replace(old, body=body.encode()) for name, old in kept.items()})


class InSqlite:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: list[SqliteLedger] = []

    def open(self) -> Ledger:
        self.opened.append(SqliteLedger(self.path))
        return self.opened[-1]

    def change_body(self, seq: int, body: str) -> None:
        self.run("UPDATE events SET body = ? WHERE seq = ?", body, seq)

    def change_kind(self, seq: int, kind: str) -> None:
        self.run("UPDATE events SET kind = ? WHERE seq = ?", kind, seq)

    def delete(self, seq: int) -> None:
        self.run("DELETE FROM events WHERE seq = ?", seq)

    def swap(self, one: int, other: int) -> None:
        for old, new in ((one, -1), (other, one), (-1, other)):
            self.run("UPDATE events SET seq = ? WHERE seq = ?", new, old)

    def change_snapshot(self, body: str) -> None:
        self.run("UPDATE snapshots SET body = ?", body)

    def run(self, sql: str, *values: str | int) -> None:
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute("DROP TRIGGER IF EXISTS events_are_not_updated")
            db.execute("DROP TRIGGER IF EXISTS events_are_not_deleted")
            db.execute(sql, values)


class InPostgres:
    """One origin of one organisation; a new one is a new ledger in the same database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.origin = uuid.uuid4().hex
        self.opened: list[PostgresLedger] = []

    def open(self) -> Ledger:
        self.opened.append(PostgresLedger(self.database.app, "acme", self.origin))
        return self.opened[-1]

    def change_body(self, seq: int, body: str) -> None:
        self.run("UPDATE ralph.events SET body = %s WHERE seq = %s", body, seq)

    def change_kind(self, seq: int, kind: str) -> None:
        self.run("UPDATE ralph.events SET kind = %s WHERE seq = %s", kind, seq)

    def delete(self, seq: int) -> None:
        self.run("DELETE FROM ralph.events WHERE seq = %s", seq)

    def swap(self, one: int, other: int) -> None:
        for old, new in ((one, 99), (other, one), (99, other)):
            self.run("UPDATE ralph.events SET seq = %s WHERE seq = %s", new, old)

    def change_snapshot(self, body: str) -> None:
        self.run("UPDATE ralph.snapshots SET body = %s WHERE true", body)

    def run(self, sql: str, *values: str | int) -> None:
        """As a superuser who puts the triggers aside."""
        with psycopg.connect(self.database.owner) as db:
            db.execute("SET session_replication_role = replica")
            db.execute(f"{sql} AND origin = %s".encode(), [*values, self.origin])


def waits(*seconds: float) -> list[Event]:
    return [Waited(s, "because") for s in seconds]


def iteration(number: int, task: str) -> list[Event]:
    usage = Usage(10, 20, cost_usd=0.25)
    red = CheckResult(("make", "check"), passed=False, exit_code=2, seconds=1.5, tail="boom")
    return [
        IterationStarted(number, task, "Title", 1, "base", Trigger.INITIAL, "fake"),
        AgentFinished(number, task, Ended.EXITED, 0, 2.5, 99, "the tail", usage),
        Verified(number, Verdict(False, Level.NONE, "red", "c", "t", results=(red,))),
        IterationEnded(number, task, Outcome.FAILED, "red", 4.0, files=("a.py", "b.py")),
        Decided(number, Action.RETRY, "again"),
    ]  # fmt: skip
