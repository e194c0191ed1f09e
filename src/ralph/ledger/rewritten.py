"""Secrets that got into a ledger, taken out: the same events in a new chain.

Where an event changes, its hash does, and so do those of all after it. Commits name the old ones
(`Ralph-Ledger`), so these are kept in a list of their own; the event that tells of the rewriting
proves the list, and the chain proves the event.
"""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import masking
from ralph.domain.event import LedgerRewritten
from ralph.ledger import codec
from ralph.ledger.chain import Link, StoredEvent, broken, extend, placed
from ralph.ledger.database import queries, transaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.event import Recorded
    from ralph.policy.secrets.masker import Masker

KIND = LedgerRewritten.__name__
PAGE = 1000

_EARLIER = """
CREATE TABLE IF NOT EXISTS earlier (
    hash      TEXT PRIMARY KEY,
    seq       INTEGER NOT NULL,
    rewriting INTEGER NOT NULL
) WITHOUT ROWID
"""


class Doer(Struct, frozen=True):
    """Whose deed it is."""

    project: str
    run: str
    name: str
    at: float


class _Chain:
    """The new chain while it is made."""

    def __init__(self, origin: str, masker: Masker) -> None:
        self.events = 0
        self.first = 0
        self.last = Link()
        self.head = ""
        """The old hash of the last event."""
        self._origin = origin
        self._masker = masker

    def next(self, old: StoredEvent) -> StoredEvent:
        masked = self._masker.body(old.body, masking.SPARED)
        body = codec.resealed(old.kind, old.body, masked)
        if body != old.body:
            self.events += 1
            self.first = self.first or old.seq
        new = old._replace(body=body, prev=self.last.hash)
        new = new._replace(hash=new.digest(self._origin))
        self.last, self.head = Link(new.seq, new.hash), old.hash
        return new


def rewrite(
    db: sqlite3.Connection, origin: str, masker: Masker, by: Doer
) -> LedgerRewritten | None:
    """All or nothing; None if there was nothing to mask. The chain was proven before."""
    db.execute("PRAGMA secure_delete = ON")
    with transaction(db):
        # Nobody else may change an event, so the guards go and come back within one transaction.
        guards = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f'DROP TRIGGER "{name}"')
        db.execute(_EARLIER)
        chain = _Chain(origin, masker)
        (count,) = db.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
        for old in _entries(db):
            _replace(db, old, chain.next(old), count + 1)
        if not chain.events:
            db.execute("ROLLBACK")
            db.execute("BEGIN")
            return None
        event = LedgerRewritten(
            by=by.name,
            values=masker.counts.total(),
            events=chain.events,
            first=chain.first,
            head=chain.head,
            earlier=_digest(db, count + 1),
            kinds=dict(masker.counts),
        )
        _add(db, extend(origin, chain.last, by.project, by.run, (event,), by.at)[0])
        # folds of the old events
        db.execute("DELETE FROM snapshots")
        for _, sql in guards:
            db.execute(sql)
    return event


def forget(db: sqlite3.Connection) -> bool:
    """Let go of the pages that held the old text; False while another program reads them."""
    try:
        db.execute("VACUUM")
        (busy, *_) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not busy


def knows(db: sqlite3.Connection, digest: str) -> bool:
    """Whether an event had this hash before a rewriting."""
    if not _has_list(db):
        return False
    found = db.execute("SELECT EXISTS (SELECT 1 FROM earlier WHERE hash = ?)", (digest,)).fetchone()
    return bool(found[0])


def prove(db: sqlite3.Connection, where: str, told: Iterable[Recorded]) -> None:
    """A LedgerBroken if the list of earlier hashes is not what the chain says it is."""
    listed: set[int] = set()
    if _has_list(db):
        listed = {seq for (seq,) in db.execute("SELECT DISTINCT rewriting FROM earlier")}
    for recorded in told:
        event = recorded.event
        if not isinstance(event, LedgerRewritten):
            continue
        listed.discard(recorded.seq)
        if not _has_list(db) or _digest(db, recorded.seq) != event.earlier:
            raise broken(where, recorded.seq, "its list of earlier hashes has been changed")
    if listed:
        raise broken(where, min(listed), "there are earlier hashes of which it does not tell")


def _entries(db: sqlite3.Connection) -> Iterator[StoredEvent]:
    everything, start, size = queries()["everything"], 0, len(StoredEvent._fields)
    while rows := db.execute(everything, (start, PAGE)).fetchall():
        yield from (StoredEvent(*row[:size]) for row in rows)
        start = rows[-1][0]


def _replace(db: sqlite3.Connection, old: StoredEvent, new: StoredEvent, rewriting: int) -> None:
    if new.hash == old.hash:
        return
    db.execute("INSERT INTO earlier VALUES (?, ?, ?)", (old.hash, old.seq, rewriting))
    db.execute(
        "UPDATE events SET body = CAST(? AS TEXT), prev = ?, hash = ? WHERE seq = ?",
        (new.body, new.prev, new.hash, new.seq),
    )
    place = placed(new) if new.body != old.body else None
    if place is not None:
        db.execute("UPDATE events SET iteration = ?, task = ? WHERE seq = ?", (*place, new.seq))


def _add(db: sqlite3.Connection, entry: StoredEvent) -> None:
    db.execute(queries()["append"], (*entry, None, None))


def _digest(db: sqlite3.Connection, rewriting: int) -> str:
    listed = sha256()
    wanted = "SELECT seq, hash FROM earlier WHERE rewriting = ? ORDER BY seq"
    for seq, digest in db.execute(wanted, (rewriting,)):
        listed.update(f"{seq} {digest}\n".encode())
    return listed.hexdigest()


def _has_list(db: sqlite3.Connection) -> bool:
    named = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'earlier')"
    return bool(db.execute(named).fetchone()[0])
