"""Between this machine's ledger and the team's database: own events go out, others' come in.

No place needs to be remembered: each side looks up the last event it holds of an origin, and the
chain says what follows. So either direction can be killed at any moment, and the next one
continues.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from ralph.domain.errors import LedgerBroken, RalphError
from ralph.ledger.chain import Link
from ralph.ledger.codec import storable
from ralph.ledger.postgres import entry_of
from ralph.ledger.postgres_server import given, kept, store
from ralph.ledger.sync_mirror import Clone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ralph.ledger.chain import StoredEvent
    from ralph.ledger.codec import About
    from ralph.ledger.postgres_server import PostgresServer, Transaction
    from ralph.ledger.sqlite import SqliteLedger
    from ralph.ledger.sync_mirror import Mirror


BATCH = 5000
"""Events in one transaction: a fraction of a second, and what a kill can cost at most."""


class Moved(Struct, frozen=True):
    """What one sync did."""

    sent: int
    received: int
    restored: int = 0
    """Own events that this machine had lost, for example with a restored backup."""


def sync(
    server: PostgresServer,
    ledger: SqliteLedger,
    mirror: Mirror,
    clones: Iterable[Clone],
    *,
    now: float,
    told: Callable[[Moved], None] = lambda _: None,
) -> Moved:
    """Send, then receive, until both sides are even; `told` hears of every batch."""
    restored = sent = received = 0
    for restored, sent in push(server, ledger):
        told(Moved(sent, 0, restored))
    team = mirror.know(server.id, server.organisation, server.where)
    for received in pull(server, mirror, team, ledger.origin):
        told(Moved(sent, received, restored))
    mirror.complete(team, _names(server, clones), now)
    return Moved(sent, received, restored)


def push(server: PostgresServer, ledger: SqliteLedger) -> Iterator[tuple[int, int]]:
    """How many events came back and how many went out so far, after each batch."""
    restored = sent = 0
    last, lost = _meet(server, ledger)
    while lost:
        restored += ledger.adopt(lost)
        yield restored, sent
        last, lost = _meet(server, ledger)
    entries = _following(ledger, last)
    while entries:
        sending = Aside(partial(_send, server, ledger.origin, last, entries))
        # While the server stores one batch, the next is read and proven.
        ahead = Link(entries[-1][0].seq, entries[-1][0].hash)
        try:
            following = _following(ledger, ahead)
        finally:
            stored, last = sending.result()
        sent += stored
        # Another process may have sent the same and more.
        entries = following if last == ahead else _following(ledger, last)
        yield restored, sent


def _meet(server: PostgresServer, ledger: SqliteLedger) -> tuple[Link, list[StoredEvent]]:
    """The last event that the server holds, and own ones that only it still has."""
    with server.transaction() as work:
        last = Link(*(work.row("head", origin=ledger.origin) or ()))
        return last, _lost(work, ledger, last)


def _send(
    server: PostgresServer, origin: str, last: Link, entries: Sequence[tuple[StoredEvent, About]]
) -> tuple[int, Link]:
    """How many of the entries after `last` were stored, and the last one that is there now."""
    with server.transaction() as work:
        # First of all: who holds it knows the end of the chain, and writes in its order.
        work.row("lock", origin=origin)
        there = Link(*(work.row("head", origin=origin) or ()))
        if there != last:
            return 0, there
        return store(work, origin, entries), Link(entries[-1][0].seq, entries[-1][0].hash)


def pull(server: PostgresServer, mirror: Mirror, team: int, own: str) -> Iterator[int]:
    """How many events came in so far, after each batch."""
    received = 0
    broken: list[LedgerBroken] = []
    with server.transaction() as work:
        heads = work.rows("heads", origin=own)
    for origin, newest in heads:
        try:
            for more in _receive(server, mirror, team, origin, newest):
                received += more
                yield received
        except LedgerBroken as error:
            broken.append(error)  # the other machines' events are good all the same
    if broken:
        raise broken[0]


def _receive(
    server: PostgresServer, mirror: Mirror, team: int, origin: str, newest: int
) -> Iterator[int]:
    known = mirror.head(team, origin).seq
    while known < newest:
        with server.transaction() as work:
            rows = work.rows("everything", origin=origin, start=known, page=BATCH)
        if not rows:
            return  # the server was set back just now
        known = rows[-1][0]
        yield mirror.take(team, origin, [entry_of(row) for row in rows])


def _following(ledger: SqliteLedger, last: Link) -> list[tuple[StoredEvent, About]]:
    """The next entries after the server's last one, of which this ledger must hold the same."""
    entries = ledger.entries(max(last.seq - 1, 0), BATCH + min(last.seq, 1))
    if last.seq:
        if not entries or entries[0][0].hash != last.hash:
            raise _forked(ledger, last.seq)
        entries = entries[1:]
    for entry, _ in entries:
        if entry.seq != last.seq + 1 or entry.prev != last.hash:
            raise _changed(ledger, entry.seq)
        if entry.hash != entry.digest(ledger.origin):
            raise _changed(ledger, entry.seq)
        last = Link(entry.seq, entry.hash)
    return entries


def _lost(work: Transaction, ledger: SqliteLedger, last: Link) -> list[StoredEvent]:
    """Own entries that only the server still has."""
    mine = ledger.last()
    if last.seq <= mine.seq:
        return []
    if mine.seq:
        same = work.row("hash_at", origin=ledger.origin, seq=mine.seq)
        if same is None or same[0] != mine.hash:
            raise _forked(ledger, mine.seq)
    rows = work.rows("everything", origin=ledger.origin, start=mine.seq, page=BATCH)
    return [entry_of(row) for row in rows]


def _names(server: PostgresServer, own: Iterable[Clone]) -> list[Clone]:
    """Say what this machine's projects are, and hear what the others' are."""
    with server.transaction() as work:
        for clone in own:
            work.do(
                "name_clone",
                origin=clone.origin,
                project=kept(clone.project),
                name=kept(storable(clone.name)),
                root=clone.root,
            )
        rows = work.rows("clones")
    return [Clone(origin, given(p), given(name), root) for origin, p, name, root in rows]


def _forked(ledger: SqliteLedger, seq: int) -> LedgerBroken:
    return LedgerBroken(
        f"The ledger {ledger.path} and the team's database disagree about event {seq}.",
        fix="It looks like an old copy that was used again. Restore the newer copy, or move\n"
        "this one away so that a new one is begun. Nothing was sent or changed.",
    )


def _changed(ledger: SqliteLedger, seq: int) -> LedgerBroken:
    return LedgerBroken(
        f"The ledger {ledger.path} is broken at event {seq}; nothing was sent from there on.",
        fix="Restore a backup of the file. For more, run `ralph audit`.",
    )


T = TypeVar("T")


class Aside(Generic[T]):
    """Work that is done while this thread does something else.

    Nobody waits for it when the program ends: a server that hangs must not keep a person.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: list[T] = []
        self._trouble: list[RalphError] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> T:
        self._thread.join()
        if self._trouble:
            raise self._trouble[0]
        return self._found[0]

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except RalphError as trouble:
            self._trouble.append(trouble)
