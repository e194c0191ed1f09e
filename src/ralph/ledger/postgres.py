"""The ledger in the team's database itself, for machines that keep nothing of their own."""

from __future__ import annotations

import heapq
import time
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from ralph.domain.errors import DatabaseAway
from ralph.ledger import codec
from ralph.ledger.chain import Link, StoredEvent, broken, extend, placed, prove
from ralph.ledger.codec import storable
from ralph.ledger.postgres_server import PostgresServer, given, kept, store
from ralph.ledger.sqlite import LAST, PAGE
from ralph.views.fold import FOLD_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ralph.domain.event import Event, Recorded
    from ralph.domain.state import RunState
    from ralph.ledger.postgres_server import Transaction

T = TypeVar("T")

PATIENCE = 30.0
"""Seconds that a run waits for a server that went away: as long as a restart may take."""
PAUSE = 0.2


class PostgresLedger:
    """One origin's chain of one organisation; any number of processes may append to it."""

    def __init__(
        self, url: str, organisation: str, origin: str, *, patience: float = PATIENCE
    ) -> None:
        self.origin = origin
        self._patience = patience
        self._server = PostgresServer(url, organisation)
        self._seen = self._tried(self._last).seq
        self._news = False

    def append(self, project: str, run: str, events: Sequence[Event], at: float) -> list[Recorded]:
        if not events:
            return []
        project, run = storable(project), storable(run)
        entries: list[StoredEvent] = []

        def work(db: Transaction) -> list[Recorded]:
            db.row("lock", origin=self.origin)
            if not entries or not self._holds(db, entries[-1].hash):
                entries[:] = extend(self.origin, self._last(db), project, run, events, at)
                # Read back before it is kept: what cannot be read again must not get in.
                places = [codec.place(r.event) for r in _recorded(entries)]
                db.row("act_on", project=kept(project))
                store(db, self.origin, list(zip(entries, places, strict=True)))
            # else it was stored, and only the answer got lost
            return _recorded(entries)

        recorded = self._tried(work)
        self._news = self._news or entries[0].seq != self._seen + 1
        self._seen = entries[-1].seq
        return recorded

    def read(self, project: str, after: int = 0) -> Iterator[Recorded]:
        return self._recorded("by_project", start=after, project=_name(project))

    def of_kinds(
        self,
        project: str,
        kinds: Sequence[str],
        limit: int | None = None,
        *,
        newest_first: bool = False,
    ) -> Iterator[Recorded]:
        """The project's events of these kinds, in the order asked for."""
        query, start = ("by_kind_newest_first", LAST) if newest_first else ("by_kind", 0)
        page = PAGE if limit is None else max(1, min(limit, PAGE))
        each = [
            self._recorded(query, start=start, page=page, project=_name(project), kind=kind)
            for kind in dict.fromkeys(kinds)
        ]
        return islice(heapq.merge(*each, key=attrgetter("seq"), reverse=newest_first), limit)

    def across(self, kinds: Sequence[str], after: int = 0) -> Iterator[Recorded]:
        """Every project's events of these kinds, oldest first."""
        each = [self._recorded("across", start=after, kind=kind) for kind in dict.fromkeys(kinds)]
        return heapq.merge(*each, key=attrgetter("seq"))

    def of_iteration(self, project: str, iteration: int) -> Iterator[Recorded]:
        return self._recorded("by_iteration", project=_name(project), iteration=iteration)

    def of_task(self, project: str, task: str) -> Iterator[Recorded]:
        return self._recorded("by_task", project=_name(project), task=_name(task))

    def projects(self) -> list[str]:
        found = self._tried(lambda db: db.rows("projects", origin=self.origin))
        return sorted(given(project) for (project,) in found)

    def load_snapshot(self, project: str) -> RunState | None:
        key = {"origin": self.origin, "project": _name(project), "version": FOLD_VERSION}
        found = self._tried(lambda db: db.row("load_snapshot", **key), _name(project))
        if found is None:
            return None
        seq, head, body = found
        state = codec.decode_state(body.encode())
        return state if state is not None and (state.seq, state.head) == (seq, head) else None

    def save_snapshot(self, project: str, state: RunState) -> None:
        values: dict[str, Any] = {
            "origin": self.origin,
            "project": _name(project),
            "seq": state.seq,
            "head": state.head,
            "version": FOLD_VERSION,
            "body": codec.encode_state(state).decode(),
        }
        self._tried(lambda db: db.do("save_snapshot", **values), _name(project))

    def verify(self, expected_head: str | None = None) -> int:
        return prove(self.origin, self._proven_places(), self._server.where, expected_head)

    def contains(self, digest: str) -> bool:
        return self._tried(lambda db: self._holds(db, digest))

    def head(self) -> str:
        return self._tried(self._last).hash

    def changed(self) -> bool:
        last = self._tried(self._last).seq
        changed = self._news or last != self._seen
        self._seen, self._news = last, False
        return changed

    def close(self) -> None:
        self._server.close()

    def _tried(self, work: Callable[[Transaction], T], project: str = "") -> T:
        """The work's result. A server that restarts is waited for, and the work done again.

        Work for one project neither sees nor touches another.
        """
        deadline = time.monotonic() + self._patience
        while True:
            try:
                with self._server.transaction(project) as db:
                    return work(db)
            except DatabaseAway:
                self._reconnect(deadline)

    def _reconnect(self, deadline: float) -> None:
        while True:
            try:
                self._server.reconnect()
            except DatabaseAway:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)
            else:
                return

    def _last(self, db: Transaction) -> Link:
        return Link(*(db.row("head", origin=self.origin) or ()))

    def _holds(self, db: Transaction, digest: str) -> bool:
        return bool(db.row("contains", origin=self.origin, hash=digest)[0])

    def _recorded(
        self, query: str, *, start: int = 0, page: int = PAGE, **key: str | int
    ) -> Iterator[Recorded]:
        for row in self._rows(query, start, page, key):
            recorded = entry_of(row).recorded()
            if recorded is not None:
                yield recorded

    def _rows(
        self, query: str, start: int, page: int, key: dict[str, str | int]
    ) -> Iterator[tuple[Any, ...]]:
        """Page by page: a transaction left open would hold back everyone who follows the events."""
        project = str(key.get("project", ""))
        while True:
            values: dict[str, Any] = key | {"origin": self.origin, "start": start, "page": page}
            rows = self._tried(lambda db, values=values: db.rows(query, **values), project)  # type: ignore[misc]
            yield from rows
            if len(rows) < page:
                return
            start = rows[-1][0]

    def _proven_places(self) -> Iterator[StoredEvent]:
        """All entries. The chain does not cover the columns for looking up; the body does."""
        for row in self._rows("everything", 0, PAGE, {}):
            entry = entry_of(row)
            yield entry
            iteration, task = row[len(StoredEvent._fields) :]
            found = (iteration, None if task is None else given(task))
            if placed(entry) not in (None, found):
                where = self._server.where
                raise broken(where, entry.seq, "its iteration or task has been changed")


def entry_of(row: Sequence[Any]) -> StoredEvent:
    seq, at, project, run, kind, body, prev, digest = row[: len(StoredEvent._fields)]
    return StoredEvent(seq, at, given(project), given(run), kind, body.encode(), prev, digest)


def _name(text: str) -> str:
    return kept(storable(text))


def _recorded(entries: Sequence[StoredEvent]) -> list[Recorded]:
    return [r for e in entries if (r := e.recorded()) is not None]
