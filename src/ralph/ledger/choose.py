"""Which ledger a machine writes: a file of its own, or the team's database itself."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import ConfigError
from ralph.ledger.sqlite import SqliteLedger

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.settings import LedgerSettings
    from ralph.ledger.journal import Ledger

FILE = "ledger.db"


def open_ledger(chosen: LedgerSettings, home: Path) -> Ledger:
    if not chosen.direct:
        return SqliteLedger(home / FILE)
    from ralph.ledger.postgres import PostgresLedger

    origin = chosen.origin or own_origin(home)
    return PostgresLedger(address(chosen), chosen.organisation, origin)


def address(chosen: LedgerSettings) -> str:
    if not chosen.url:
        raise ConfigError(
            "No team's database is configured.",
            fix="Set RALPH_DATABASE_URL=postgresql://USER:PASSWORD@HOST/DATABASE.",
        )
    return chosen.url


def own_origin(home: Path) -> str:
    """The name of this home's chain in a database. Made once, by the first to need it."""
    path = home / "origin"
    try:
        if not path.exists():
            home.mkdir(parents=True, exist_ok=True)
            draft = home / f".origin.{uuid.uuid4().hex}.tmp"
            files.write(draft, uuid.uuid4().hex)
            with suppress(FileExistsError):
                os.link(draft, path)
            draft.unlink()
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise files.explain(error, path) from error
