"""What SQLite's errors mean to a person."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.errors import RalphError

_PRIMARY = 0xFF

_STORAGE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR_SHMSIZE: errno.ENOSPC,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
}

_RESTORE = "Keep a copy of it, then restore a backup or move it away to start a new one."


@contextmanager
def explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError:
        # A closed connection or a wrong thread is a fault of the program, not of the file.
        raise
    except sqlite3.DatabaseError as error:
        raise explain(error, path) from error


def explain(error: sqlite3.DatabaseError, path: Path) -> RalphError:
    code = getattr(error, "sqlite_errorcode", 0)
    storage = _STORAGE.get(code) or _STORAGE.get(code & _PRIMARY)
    if storage is not None:
        return files.explain(OSError(storage, _words(storage)), path)
    match code & _PRIMARY:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return LedgerError(
                f"The ledger {path} is locked by another program.",
                fix="Close the program that holds it open, then run the same command again.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN:
            return files.explain(_refusal(path), path, "write to")
        case sqlite3.SQLITE_NOTADB:
            return foreign(path)
        case sqlite3.SQLITE_CORRUPT:
            return LedgerError(f"The ledger {path} is damaged: {error}.", fix=_RESTORE)
    return LedgerError(f"The ledger {path} cannot be used: {error}.", fix=_RESTORE)


def foreign(path: Path) -> LedgerError:
    return LedgerError(
        f"{path} is not a Ralph ledger.",
        fix="Move it away, or set RALPH_HOME to another folder.",
    )


def _refusal(path: Path) -> OSError:
    """SQLite does not say why a file cannot be written; the file system does.

    Without opening it: that would give up the locks of every connection here.
    """
    import os

    with suppress(OSError):
        if os.statvfs(path).f_flag & os.ST_RDONLY:
            return OSError(errno.EROFS, _words(errno.EROFS))
    return OSError(errno.EACCES, _words(errno.EACCES))


def _words(code: int) -> str:
    import os

    return os.strerror(code)
