"""What the other machines of a team did, kept here so that it can be read without the server."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import LedgerBroken
from ralph.domain.event import AgentFinished, RunEnded, RunStarted, Settled
from ralph.ledger import database
from ralph.ledger.chain import Link, StoredEvent
from ralph.ledger.trouble import explained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from ralph.domain.event import Recorded

SCHEMA = database.SCHEMA.with_name("mirror")
FILE = "team.db"
"""Beside the ledger; it may be removed at any time."""


class Clone(Struct, frozen=True):
    """A project on one machine. Clones with the same root commit are one repository."""

    origin: str
    project: str
    name: str
    root: str


class Member(Struct, frozen=True):
    """One project on another machine, as it was at the last sync."""

    origin: str
    project: str
    name: str
    root: str
    host: str
    plan: str
    running: bool
    runs: int
    settled: int
    cost: float
    events: int
    newest: float


class Team(Struct, frozen=True):
    place: str
    at: float
    """When the mirror was last complete."""
    members: tuple[Member, ...]


class Mirror:
    def __init__(self, path: Path, *, busy_seconds: float = 5.0) -> None:
        self.path = path
        self._sql = database.queries(SCHEMA)
        self._db = database.connect(path, busy_seconds, database.migrations(SCHEMA))

    def know(self, server: str, organisation: str, place: str) -> int:
        """The number of a team here."""
        with explained(self.path), database.transaction(self._db):
            row = self._db.execute(self._sql["know"], (server, organisation, place)).fetchone()
        return int(row[0])

    def head(self, team: int, origin: str) -> Link:
        with explained(self.path):
            return Link(*(self._db.execute(self._sql["head"], (team, origin)).fetchone() or ()))

    def take(self, team: int, origin: str, entries: Sequence[StoredEvent]) -> int:
        """Keep the next entries of a chain. How far it goes is known by what is kept."""
        with explained(self.path), database.transaction(self._db):
            head = self.head(team, origin)
            fresh = [entry for entry in entries if entry.seq > head.seq]
            for entry in fresh:
                _check(origin, head, entry)
                head = Link(entry.seq, entry.hash)
            rows = [(team, origin, *entry) for entry in fresh]
            self._db.executemany(self._sql["take"], rows)
        return len(fresh)

    def complete(self, team: int, clones: Iterable[Clone], now: float) -> None:
        with explained(self.path), database.transaction(self._db):
            rows = [(team, c.origin, c.project, c.name, c.root) for c in clones]
            self._db.executemany(self._sql["name_clone"], rows)
            self._db.execute(self._sql["complete"], (now, team))

    def clones(self, team: int) -> list[Clone]:
        with explained(self.path):
            return [Clone(*row) for row in self._db.execute(self._sql["clones"], (team,))]

    def entries(self, team: int) -> dict[str, list[StoredEvent]]:
        """Each origin's chain."""
        with explained(self.path):
            origins = self._db.execute(self._sql["origins"], (team,)).fetchall()
            return {origin: list(self._chain(team, origin)) for (origin,) in origins}

    def team(self, organisation: str) -> Team | None:
        """The organisation as it was when its database was last read."""
        with explained(self.path):
            found = self._db.execute(self._sql["latest"], (organisation,)).fetchone()
            if found is None:
                return None
            number, place, at = found
            return Team(place, at, tuple(self._members(number)))

    def close(self) -> None:
        self._db.close()

    def _chain(self, team: int, origin: str) -> Iterator[StoredEvent]:
        rows = self._db.execute(self._sql["everything"], (team, origin))
        return (StoredEvent(*row) for row in rows)

    def _members(self, team: int) -> Iterator[Member]:
        names = {(c.origin, c.project): c for c in self.clones(team)}
        told: dict[tuple[str, str], list[Recorded]] = {}
        for kind in (RunStarted, RunEnded, Settled, AgentFinished):
            rows = self._db.execute(self._sql["of_kind"], (team, kind.__name__))
            for origin, *row in rows:
                recorded = StoredEvent(*row).recorded()
                if recorded is not None:
                    told.setdefault((origin, recorded.project), []).append(recorded)
        for origin, project, newest, count in self._db.execute(self._sql["newest"], (team,)):
            key = (origin, project)
            name = names.get(key) or Clone(origin, project, project, "")
            yield _member(name, told.get(key, []), newest, count)


def look(path: Path, organisation: str) -> Team | None:
    """The team as the mirror knows it; None if nothing was ever read."""
    if not path.exists():
        return None
    with closing(Mirror(path)) as mirror:
        return mirror.team(organisation)


def _member(clone: Clone, told: Sequence[Recorded], newest: float, count: int) -> Member:
    events = [recorded.event for recorded in sorted(told, key=lambda r: r.seq)]
    started = [event for event in events if isinstance(event, RunStarted)]
    turns = [event for event in events if isinstance(event, RunStarted | RunEnded)]
    return Member(
        origin=clone.origin,
        project=clone.project,
        name=clone.name,
        root=clone.root,
        host=started[-1].host if started else "",
        plan=started[-1].plan if started else "",
        running=bool(turns) and isinstance(turns[-1], RunStarted),
        runs=len(started),
        settled=len({event.task for event in events if isinstance(event, Settled)}),
        cost=sum(e.usage.cost_usd or 0.0 for e in events if isinstance(e, AgentFinished)),
        events=count,
        newest=newest,
    )


def _check(origin: str, head: Link, entry: StoredEvent) -> None:
    if entry.seq != head.seq + 1 or entry.prev != head.hash:
        raise _broken(origin, entry.seq, "it does not follow the event before it")
    if entry.hash != entry.digest(origin):
        raise _broken(origin, entry.seq, "it has been changed")


def _broken(origin: str, seq: int, what: str) -> LedgerBroken:
    return LedgerBroken(
        f"The team's database is broken at event {seq} of {origin[:12]}: {what}.",
        fix=f"If it was restored, remove {FILE} in RALPH_HOME and sync again. Otherwise something\n"
        "else wrote to it: restore it, and every machine sends its own events again.",
    )
