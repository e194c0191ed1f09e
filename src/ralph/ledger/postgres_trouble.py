"""What PostgreSQL's errors mean to a person."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import DatabaseAway, LedgerBroken, LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Error

RULES = "42501"
NOT_THERE = ("42P01", "3F000", "42883")
"""No such table, schema, function."""
BROKEN_CHAIN = "23000"

_NO_DRIVER = """pip install '.[postgres]' (in your clone of Ralph)"""
_SET_UP = "Have the owner of the database run `ralph sync --setup OWNER_URL` once."


def driver() -> Any:  # noqa: ANN401 - a module
    """The client library, which only those need who share a database."""
    try:
        import psycopg
    except ImportError as error:
        raise LedgerError(
            "The team's database needs PostgreSQL's client library, which is not installed.",
            fix=f"Install it: {_NO_DRIVER}",
        ) from error
    return psycopg


def shown(url: str) -> str:
    """Where the database is, without the password."""
    from psycopg.conninfo import conninfo_to_dict

    known = conninfo_to_dict(url)
    host, port = known.get("host") or "this machine", known.get("port")
    name = known.get("dbname") or known.get("user") or "?"
    return f"{name} on {host}{f':{port}' if port else ''}"


@contextmanager
def explained(where: str) -> Iterator[None]:
    psycopg = driver()
    try:
        yield
    except psycopg.Error as error:
        raise explain(error, where) from error


def explain(error: Error, where: str) -> LedgerError:
    text = _first_line(error)
    code = error.sqlstate or ""
    if code == RULES:
        return _no_rights(text, where)
    if code in NOT_THERE:
        return LedgerError(f"The database {where} is not set up for Ralph.", fix=_SET_UP)
    if code == BROKEN_CHAIN:
        return LedgerBroken(
            f"The database {where} refused: {text}.",
            fix="This ledger and the one there have diverged. Nothing was written.",
        )
    if isinstance(error, driver().OperationalError | driver().InterfaceError):
        return _unreachable(text, where)
    return LedgerError(f"The database {where} cannot be used: {text}.")


def invalid(error: Error) -> LedgerError:
    """The text of the URL itself makes no sense; it may hold a password, so it is not shown."""
    what = str(error).split(":", maxsplit=1)[0].strip()
    return LedgerError(
        f"ledger.url is not an address of a database: {what}.",
        fix="Write it as postgresql://USER:PASSWORD@HOST/DATABASE.",
    )


def _no_rights(text: str, where: str) -> LedgerError:
    if "row-level security" in text:
        return LedgerError(
            f"The database {where} does not let this login act for this organisation.",
            fix="Set `ledger.organisation` to the one the login was made for.",
        )
    return LedgerError(f"This login lacks rights in the database {where}: {text}.", fix=_SET_UP)


def _unreachable(text: str, where: str) -> LedgerError:
    """Before there is a session, the server's answer is only text."""
    if "password" in text:
        return LedgerError(
            f"The database {where} refused the password: {text}.",
            fix="Correct it in RALPH_DATABASE_URL or in ~/.pgpass.",
        )
    if "does not exist" in text:
        return LedgerError(
            f"The database {where} cannot be opened: {text}.",
            fix="Create it with `createdb`, or correct the URL.",
        )
    if "pg_hba.conf" in text:
        return LedgerError(
            f"The server of {where} does not let this machine in: {text}.",
            fix="Allow it in the server's pg_hba.conf.",
        )
    return DatabaseAway(
        f"The database {where} does not answer: {text}.",
        fix="Runs continue without it. Try again with `ralph sync` when it is back.",
    )


def _first_line(error: Error) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    _, fatal, said = first.partition("FATAL:")
    return (said if fatal else first.removeprefix("connection failed: ")).strip().rstrip(".")
