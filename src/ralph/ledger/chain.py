"""Each event carries the hash of the one before it: nothing can be changed without a trace."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ralph.domain.errors import LedgerBroken, LedgerError
from ralph.domain.event import Recorded
from ralph.ledger import codec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.domain.event import Event


class Link(NamedTuple):
    """The newest event's number and hash; those of an empty ledger are 0 and nothing."""

    seq: int = 0
    hash: str = ""


class StoredEvent(NamedTuple):
    """An event as it is stored."""

    seq: int
    at: float
    project: str
    run: str
    kind: str
    body: bytes
    prev: str
    hash: str

    def recorded(self) -> Recorded | None:
        """None if only a newer Ralph knows this kind of event."""
        event = codec.decode(self.kind, self.body)
        if event is None:
            return None
        return Recorded(self.seq, self.at, self.project, self.run, event, self.prev, self.hash)

    def digest(self, origin: str) -> str:
        # An array of JSON has no line break of its own, so no two entries give the same bytes.
        fields = (self.prev, origin, self.seq, self.at, self.project, self.run, self.kind)
        return sha256(msgspec.json.encode(fields) + b"\n" + self.body).hexdigest()


def extend(
    origin: str, last: Link, project: str, run: str, events: Sequence[Event], at: float
) -> list[StoredEvent]:
    """The events as the next entries of the chain."""
    entries: list[StoredEvent] = []
    for event in events:
        kind, body = type(event).__name__, codec.encode(event)
        entry = StoredEvent(last.seq + 1, float(at), project, run, kind, body, last.hash, "")
        entry = entry._replace(hash=entry.digest(origin))
        entries.append(entry)
        last = Link(entry.seq, entry.hash)
    return entries


def prove(
    origin: str, entries: Iterable[StoredEvent], where: str, expected_head: str | None
) -> int:
    """How many entries the chain has, or a LedgerBroken that names the first that does not fit."""
    last = Link()
    found = not expected_head
    for entry in entries:
        if entry.seq != last.seq + 1:
            raise broken(where, last.seq + 1, "it is missing")
        if entry.prev != last.hash:
            raise broken(where, entry.seq, "it does not follow the event before it")
        if entry.hash != entry.digest(origin):
            raise broken(where, entry.seq, "it has been changed")
        last = Link(entry.seq, entry.hash)
        found = found or entry.hash == expected_head
    if not found:
        what = f"the event {expected_head}, which a commit names, is not in it"
        raise LedgerBroken(f"The ledger {where} is broken: {what}.", fix=FIX)
    return last.seq


def placed(entry: StoredEvent) -> codec.About | None:
    """What its body says it is about; None for an event that only a newer Ralph can read."""
    with suppress(LedgerError):
        recorded = entry.recorded()
        return None if recorded is None else codec.place(recorded.event)
    return None


def broken(where: str, seq: int, what: str) -> LedgerBroken:
    return LedgerBroken(f"The ledger {where} is broken at event {seq}: {what}.", fix=FIX)


FIX = "Something other than Ralph wrote to it. Keep a copy of it, then restore a backup."
