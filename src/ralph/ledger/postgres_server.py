"""One connection to the team's database, acting for one organisation."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import ConfigError, LedgerError
from ralph.ledger import database
from ralph.ledger.postgres_trouble import driver, explained, invalid, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from psycopg import Connection, Cursor

    from ralph.ledger.chain import StoredEvent
    from ralph.ledger.codec import About

SCHEMA = database.SCHEMA.with_name("postgres")
QUICK = {
    # A machine that is gone must not be waited for like one that is slow.
    "connect_timeout": "10",
    "tcp_user_timeout": "30000",
    "keepalives_idle": "30",
    "application_name": "ralph",
}


class Transaction:
    """What can be done inside one transaction: named queries with named values."""

    def __init__(self, cursor: Cursor[Any], sql: dict[str, bytes]) -> None:
        self._cursor = cursor
        self._sql = sql

    def rows(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        return self._cursor.execute(self._sql[query], values).fetchall()

    def row(self, query: str, **values: object) -> Any:  # noqa: ANN401 - rows are untyped
        return self._cursor.execute(self._sql[query], values).fetchone()

    def do(self, query: str, **values: object) -> int:
        """How many rows it wrote."""
        return self._cursor.execute(self._sql[query], values).rowcount


class PostgresServer:
    def __init__(self, url: str, organisation: str) -> None:
        if not organisation:
            raise ConfigError(
                "ledger.organisation is empty.", fix="Name the team whose events are shared."
            )
        self.organisation = organisation
        self._sql = {name: sql.encode() for name, sql in database.queries(SCHEMA).items()}
        self._url = url
        self._db = connect(url)
        self.where = shown(url)
        try:
            self.id = self._identify()
        except BaseException:
            self._db.close()
            raise

    @contextmanager
    def transaction(self, project: str = "") -> Iterator[Transaction]:
        """All or nothing, and only the organisation's own: what is set ends with it.

        With a project also nothing of another.
        """
        with explained(self.where), self._db.transaction(), self._db.cursor() as cursor:
            work = Transaction(cursor, self._sql)
            work.row("act_for", organisation=self.organisation)
            if project:
                work.row("act_on", project=project)
            yield work

    def reconnect(self) -> None:
        self._db.close()
        self._db = connect(self._url)

    def close(self) -> None:
        self._db.close()

    def _identify(self) -> str:
        """Which database this is, after a look whether it can be used at all."""
        with self.transaction() as work:
            name, version = work.row("database")
            (above,) = work.row("above_the_rules")
        if above:
            raise LedgerError(
                f"The login for {self.where} bypasses the rules that keep organisations apart.",
                fix="Use the application's login: `ralph sync --setup OWNER_URL` creates one.",
            )
        _check_version(self.where, version)
        return str(name)


def connect(url: str) -> Connection[tuple[Any, ...]]:
    psycopg = driver()
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        info = make_conninfo("", **(QUICK | conninfo_to_dict(url)))
    except psycopg.ProgrammingError as error:
        raise invalid(error) from error
    with explained(shown(url)):
        db: Connection[tuple[Any, ...]] = psycopg.connect(info, autocommit=True)
    return db


def store(work: Transaction, origin: str, entries: Sequence[tuple[StoredEvent, About]]) -> int:
    """How many of the entries were new."""
    import msgspec

    rows = [
        {
            "seq": entry.seq,
            "at": entry.at,
            "project": kept(entry.project),
            "run": kept(entry.run),
            "kind": entry.kind,
            "body": entry.body.decode("utf-8"),
            "prev": entry.prev,
            "hash": entry.hash,
            "iteration": place.iteration,
            "task": None if place.task is None else kept(place.task),
        }
        for entry, place in entries
    ]
    return work.do("append", origin=origin, entries=msgspec.json.encode(rows).decode())


def kept(text: str) -> str:
    """Text as PostgreSQL can hold it: it takes no NUL."""
    return text.replace("\\", "\\\\").replace("\0", "\\0") if _odd(text) else text


def given(text: str) -> str:
    """The text that was kept."""
    if "\\" not in text:
        return text
    return "\\".join(part.replace("\\0", "\0") for part in text.split("\\\\"))


def _odd(text: str) -> bool:
    return "\\" in text or "\0" in text


def _check_version(where: str, version: int) -> None:
    known = len(database.migrations(SCHEMA))
    if version > known:
        raise LedgerError(
            f"The database {where} was set up by a newer Ralph (schema {version}, "
            f"this one knows {known}).",
            fix="Update Ralph.",
        )
    if version < known:
        raise LedgerError(
            f"The database {where} is older than this Ralph (schema {version}, it needs {known}).",
            fix="Have its owner run `ralph sync --setup OWNER_URL` again.",
        )
