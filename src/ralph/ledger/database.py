"""Opening a ledger's file: checked, created or brought up to date, safe beside others doing so."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import LedgerError
from ralph.ledger.trouble import explained, foreign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCHEMA = Path(__file__).parent / "schema" / "sqlite"
APPLICATION_ID = int.from_bytes(b"RLPH", "big")
RETRY_SECONDS = 0.01


def queries(folder: Path = SCHEMA) -> dict[str, str]:
    """The statements in queries.sql by their names."""
    text = (folder / "queries.sql").read_text(encoding="utf-8")
    sections = text.split("-- name: ")[1:]
    return {name.strip(): sql for name, _, sql in (s.partition("\n") for s in sections)}


def migrations(folder: Path = SCHEMA) -> list[str]:
    """The scripts that make the schema; the n-th leads to version n."""
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("[0-9]*.sql"))]


def connect(
    path: Path, busy_seconds: float, scripts: Sequence[str] | None = None
) -> sqlite3.Connection:
    _create(path)
    with explained(path):
        db = sqlite3.connect(path.absolute(), timeout=busy_seconds, isolation_level=None)
        try:
            _prepare(db, path, busy_seconds, migrations() if scripts is None else scripts)
        except BaseException:
            db.close()
            raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write all or nothing. The lock comes first, so that what is read stays true."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _create(path: Path) -> None:
    """A file that is there is opened by SQLite alone.

    Whoever closes a file gives up all locks that the process holds on it: those of another
    connection, too, whose log others would then take away while it is in use.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            # What agents said is nobody else's business.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    except OSError as error:
        raise files.explain(error, path, "open the ledger") from error


def _prepare(
    db: sqlite3.Connection, path: Path, busy_seconds: float, scripts: Sequence[str]
) -> None:
    version = _identify(db, path)
    if version > len(scripts):
        raise LedgerError(
            f"The ledger {path} was written by a newer Ralph (schema {version}, "
            f"this one knows {len(scripts)}).",
            fix="Update Ralph.",
        )
    _use_wal(db, time.monotonic() + busy_seconds)
    db.execute("PRAGMA synchronous = FULL")
    for number in range(version + 1, len(scripts) + 1):
        copy_as = path.with_name(f"{path.name}.v{version}") if number == version + 1 > 1 else None
        _migrate(db, path, number, scripts[number - 1], copy_as)


def _identify(db: sqlite3.Connection, path: Path) -> int:
    """The version of the schema, 0 for a new file. One transaction: others may be creating it."""
    db.execute("BEGIN")
    try:
        application, version = _number(db, "application_id"), _number(db, "user_version")
        (objects,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    finally:
        db.execute("COMMIT")
    if application == APPLICATION_ID and version > 0:
        return version
    if application or version or objects:
        raise foreign(path)
    return 0


def _use_wal(db: sqlite3.Connection, deadline: float) -> None:
    """SQLite does not wait for a lock here by itself when two processes change the mode at once."""
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _migrate(
    db: sqlite3.Connection, path: Path, number: int, script: str, copy_as: Path | None
) -> None:
    with transaction(db):
        if _number(db, "user_version") >= number:
            return
        if copy_as is not None:
            copy_file(path, copy_as)
        for statement in statements(script):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {number:d}")


def copy_file(path: Path, target: Path) -> None:
    """The file as it is; before a migration the caller holds the write lock for it."""
    unfinished = target.with_name(f".{target.name}.tmp")
    try:
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
        unfinished.replace(target)
    except OSError as error:
        raise files.explain(error, target) from error


def statements(script: str) -> Iterator[str]:
    """A script's statements, one by one: `executescript` would end the open transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        yield pending


def _number(db: sqlite3.Connection, pragma: str) -> int:
    (value,) = db.execute(f"PRAGMA {pragma}").fetchone()
    return int(value)
