from __future__ import annotations

import heapq
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ralph.ledger import codec, rewritten
from ralph.ledger.chain import Link, StoredEvent, broken, extend, placed, prove
from ralph.ledger.codec import storable
from ralph.ledger.database import connect, copy_file, queries, transaction
from ralph.ledger.trouble import explained
from ralph.views.fold import FOLD_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ralph.domain.event import Event, LedgerRewritten, Recorded
    from ralph.domain.state import RunState
    from ralph.ledger.rewritten import Doer
    from ralph.policy.secrets.masker import Masker

PAGE = 1000
LAST = 2**63 - 1


class SqliteLedger:
    """One file, one origin, one chain; any number of processes may append to it."""

    def __init__(self, path: Path, *, busy_seconds: float = 5.0) -> None:
        self.path = path
        self._sql = queries()
        self._db = connect(path, busy_seconds)
        self.origin: str = self._row("origin")[0]
        self._version = self._data_version()

    def append(self, project: str, run: str, events: Sequence[Event], at: float) -> list[Recorded]:
        if not events:
            return []
        project, run = storable(project), storable(run)
        with explained(self.path), transaction(self._db):
            entries = extend(self.origin, self._last(), project, run, events, at)
            # Read back before it is kept: what cannot be read again must not get in.
            recorded = [r for e in entries if (r := e.recorded()) is not None]
            rows = [(*e, *codec.place(r.event)) for e, r in zip(entries, recorded, strict=True)]
            self._db.executemany(self._sql["append"], rows)
        return recorded

    def read(self, project: str, after: int = 0) -> Iterator[Recorded]:
        return self._recorded("by_project", storable(project), start=after)

    def newest_of(self, project: str, limit: int, before: int = LAST) -> Iterator[Recorded]:
        """The project's last events before that number, newest first."""
        page = max(1, min(limit, PAGE))
        found = self._recorded(
            "by_project_newest_first", storable(project), start=before, page=page
        )
        return islice(found, limit)

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
            self._recorded(query, storable(project), kind, start=start, page=page)
            for kind in dict.fromkeys(kinds)
        ]
        return islice(heapq.merge(*each, key=attrgetter("seq"), reverse=newest_first), limit)

    def across(self, kinds: Sequence[str], after: int = 0) -> Iterator[Recorded]:
        """Every project's events of these kinds, oldest first."""
        each = [self._recorded("across", kind, start=after) for kind in dict.fromkeys(kinds)]
        return heapq.merge(*each, key=attrgetter("seq"))

    def of_iteration(self, project: str, iteration: int) -> Iterator[Recorded]:
        return self._recorded("by_iteration", storable(project), iteration)

    def of_task(self, project: str, task: str) -> Iterator[Recorded]:
        return self._recorded("by_task", storable(project), storable(task))

    def projects(self) -> list[str]:
        with explained(self.path):
            return [project for (project,) in self._db.execute(self._sql["projects"])]

    def load_snapshot(self, project: str) -> RunState | None:
        found = self._row("load_snapshot", storable(project), FOLD_VERSION)
        if found is None:
            return None
        seq, head, body = found
        state = codec.decode_state(body)
        return state if state is not None and (state.seq, state.head) == (seq, head) else None

    def save_snapshot(self, project: str, state: RunState) -> None:
        body = codec.encode_state(state)
        values = (storable(project), state.seq, state.head, FOLD_VERSION, body)
        with explained(self.path), transaction(self._db):
            self._db.execute(self._sql["save_snapshot"], values)

    def verify(self, expected_head: str | None = None) -> int:
        # Text that is not UTF-8 is a change like any other: it must reach the chain, not stop it.
        self._db.text_factory = _lenient
        try:
            count = prove(self.origin, self._proven_places(), str(self.path), expected_head)
            with explained(self.path):
                rewritten.prove(self._db, str(self.path), self.across((rewritten.KIND,)))
            return count
        finally:
            self._db.text_factory = str

    def contains(self, digest: str) -> bool:
        """Also by the hash that an event had before the ledger was rewritten."""
        if self._row("contains", digest)[0]:
            return True
        with explained(self.path):
            return rewritten.knows(self._db, digest)

    def head(self) -> str:
        return self.last().hash

    def newest(self) -> tuple[int, float] | None:
        """The number and the time of the last event, whichever project it is of."""
        found: tuple[int, float] | None = self._row("newest")
        return found

    def entries(self, after: int, limit: int) -> list[tuple[StoredEvent, codec.About]]:
        """What is stored, as it is stored, for sending it elsewhere."""
        size = len(StoredEvent._fields)
        with explained(self.path):
            rows = self._db.execute(self._sql["everything"], (after, limit)).fetchall()
        return [(StoredEvent(*row[:size]), codec.About(*row[size:])) for row in rows]

    def last(self) -> Link:
        with explained(self.path):
            return self._last()

    def adopt(self, entries: Sequence[StoredEvent]) -> int:
        """Put back own entries that were lost here; how many there were. They must fit."""
        with explained(self.path), transaction(self._db):
            last = self._last()
            for entry in entries:
                if (entry.seq, entry.prev) != (last.seq + 1, last.hash):
                    raise broken(str(self.path), entry.seq, "another one took its place meanwhile")
                if entry.hash != entry.digest(self.origin):
                    raise broken(str(self.path), entry.seq, "it has been changed")
                last = Link(entry.seq, entry.hash)
            rows = [(*e, *(placed(e) or (None, None))) for e in entries]
            self._db.executemany(self._sql["append"], rows)
        return len(entries)

    def mask(self, masker: Masker, by: Doer) -> tuple[LedgerRewritten | None, bool]:
        """Mask what was recorded before: what it says of that, None if there was nothing to mask;
        and whether nothing of it is left in the file, which others may keep from being true.
        """
        self.verify()
        with explained(self.path):
            event = rewritten.rewrite(self._db, self.origin, masker, by)
            return event, event is None or rewritten.forget(self._db)

    def copy_to(self, target: Path) -> None:
        """The file as it is now."""
        with explained(self.path):
            copy_file(self.path, target)

    def changed(self) -> bool:
        before, self._version = self._version, self._data_version()
        return self._version != before

    def close(self) -> None:
        self._db.close()

    def _last(self) -> Link:
        return Link(*(self._db.execute(self._sql["head"]).fetchone() or ()))

    def _row(self, query: str, *values: str | int) -> Any:  # noqa: ANN401 - rows are untyped
        with explained(self.path):
            return self._db.execute(self._sql[query], values).fetchone()

    def _data_version(self) -> int:
        """Moves when another connection commits, not with one's own commits."""
        with explained(self.path):
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _recorded(
        self, query: str, *key: str | int, start: int = 0, page: int = PAGE
    ) -> Iterator[Recorded]:
        for row in self._rows(query, *key, start=start, page=page):
            recorded = StoredEvent(*row).recorded()
            if recorded is not None:
                yield recorded

    def _rows(
        self, query: str, *key: str | int, start: int = 0, page: int = PAGE
    ) -> Iterator[tuple[Any, ...]]:
        """Page by page: a cursor left open would pin an old view and make appending fail."""
        while True:
            with explained(self.path):
                rows = self._db.execute(self._sql[query], (*key, start, page)).fetchall()
            yield from rows
            if len(rows) < page:
                return
            start = rows[-1][0]

    def _proven_places(self) -> Iterator[StoredEvent]:
        """All entries. The chain does not cover the columns for looking up; the body does."""
        for row in self._rows("everything"):
            entry = StoredEvent(*row[: len(StoredEvent._fields)])
            yield entry
            if placed(entry) not in (None, row[len(StoredEvent._fields) :]):
                raise broken(str(self.path), entry.seq, "its iteration or task has been changed")


def _lenient(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
