"""Making a database ready for a team: its tables, its rules and the login that programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.errors import LedgerError
from ralph.ledger import database
from ralph.ledger.postgres_server import SCHEMA, connect
from ralph.ledger.postgres_trouble import explained, shown

if TYPE_CHECKING:
    from psycopg import Connection

ROLE = "ralph_app"
_ONE_AT_A_TIME = 0x52414C5048
"""The lock held while a database is set up: "RALPH"."""


class Ready(Struct, frozen=True):
    """What a set-up left behind."""

    where: str
    version: int
    role: str
    url: str
    """The application's; with a password only if the role was made just now."""
    created: bool


def set_up(owner_url: str, role: str = ROLE, organisation: str = "") -> Ready:
    """Bring the database up to date and let `role` in: for `organisation` only, if one is named."""
    db = connect(owner_url)
    where = shown(owner_url)
    try:
        with explained(where):
            for number, script in enumerate(database.migrations(SCHEMA), start=1):
                _migrate(db, number, script)
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(%s)", [_ONE_AT_A_TIME])
                version = _newest(db, where)
                password = _admit(db, role)
                _bind(db, role, organisation)
    finally:
        db.close()
    return Ready(where, version, role, _url(owner_url, role, password), bool(password))


def _migrate(db: Connection[Any], number: int, script: str) -> None:
    with db.transaction():
        # Whoever comes second finds the work done.
        db.execute("SELECT pg_advisory_xact_lock(%s)", [_ONE_AT_A_TIME])
        if _version(db) < number:
            db.execute(script.encode())
            db.execute("INSERT INTO ralph.migrations (version) VALUES (%s)", [number])


def _version(db: Connection[Any]) -> int:
    exists = db.execute("SELECT to_regclass('ralph.migrations') IS NOT NULL").fetchone()
    if exists is None or not exists[0]:
        return 0
    found = db.execute("SELECT max(version) FROM ralph.migrations").fetchone()
    return int(found[0] or 0) if found else 0


def _newest(db: Connection[Any], where: str) -> int:
    version, known = _version(db), len(database.migrations(SCHEMA))
    if version > known:
        raise LedgerError(
            f"The database {where} was set up by a newer Ralph (schema {version}, "
            f"this one knows {known}).",
            fix="Update Ralph.",
        )
    return version


def _admit(db: Connection[Any], role: str) -> str:
    """Let the role in; the password of one that had to be made."""
    from psycopg import sql

    found = db.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", [role]
    ).fetchone()
    password = ""
    if found is None:
        password = _create(db, role)
    elif found[0]:
        raise LedgerError(
            f"The role {role} bypasses the rules that keep organisations apart.",
            fix="Name another one with `--role`; it is created if it does not exist.",
        )
    grants = (SCHEMA / "grants.sql").read_text(encoding="utf-8")
    db.execute(sql.SQL(grants).format(role=sql.Identifier(role)))
    return password


def _create(db: Connection[Any], role: str) -> str:
    import secrets

    from psycopg import sql

    password = secrets.token_urlsafe(24)
    statement = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} NOSUPERUSER NOBYPASSRLS NOCREATEROLE")
    db.execute(statement.format(sql.Identifier(role), sql.Literal(password)))
    return password


def _bind(db: Connection[Any], role: str, organisation: str) -> None:
    if organisation:
        db.execute(
            "INSERT INTO ralph.logins (login, org_id) VALUES (%s, %s) "
            "ON CONFLICT (login) DO UPDATE SET org_id = excluded.org_id",
            [role, organisation],
        )


def _url(owner_url: str, role: str, password: str) -> str:
    from urllib.parse import quote

    from psycopg.conninfo import conninfo_to_dict

    known = {name: str(value) for name, value in conninfo_to_dict(owner_url).items()}
    secret = f":{quote(password, safe='')}" if password else ""
    host, port = known.get("host", ""), known.get("port", "")
    place = f"{quote(host, safe=',.-')}{f':{port}' if port else ''}"
    name = quote(known.get("dbname") or known.get("user", ""), safe="")
    return f"postgresql://{quote(role, safe='')}{secret}@{place}/{name}"
