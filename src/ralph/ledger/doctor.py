"""A look at the ledger: does it open, how big is it, is its chain whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.diagnosis import Diagnosis, note, ok
from ralph.domain.errors import DatabaseAway
from ralph.domain.moment import iso
from ralph.ledger.choose import address
from ralph.ledger.sqlite import SqliteLedger
from ralph.policy.diagnose import size

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.settings import LedgerSettings

BUSY_SECONDS = 0.5
PROVEN_AT_ONCE = 10_000
"""Entries whose chain is proven within a fraction of a second; for more there is `ralph audit`."""


class LedgerSeen(Struct, frozen=True):
    diagnosis: Diagnosis
    newest: float | None = None
    """When the last event happened."""


def look(path: Path, *, direct: bool = False) -> LedgerSeen:
    """What there is; a LedgerError or StorageError says why it cannot be used."""
    if direct:
        return LedgerSeen(ok("ledger", "in the team's database"))
    if not path.exists():
        return LedgerSeen(ok("ledger", f"none yet; the first run creates {path}"))
    ledger = SqliteLedger(path, busy_seconds=BUSY_SECONDS)
    try:
        newest = ledger.newest()
        if newest is None:
            return LedgerSeen(ok("ledger", f"{path}, empty"))
        count, at = newest
        chain = "`ralph audit` verifies the chain"
        if count <= PROVEN_AT_ONCE:
            ledger.verify()
            chain = "chain intact"
    finally:
        ledger.close()
    found = f"{path}, {size(_bytes(path))}, {count} events, newest {iso(at)}, {chain}"
    return LedgerSeen(ok("ledger", found), at)


def look_team(chosen: LedgerSettings) -> tuple[Diagnosis, ...]:
    """The team's database, if there is one; a LedgerError says why it cannot be used."""
    if not chosen.url and not chosen.direct:
        return ()
    from ralph.ledger.postgres_server import PostgresServer

    try:
        server = PostgresServer(address(chosen), chosen.organisation)
    except DatabaseAway as away:
        if chosen.direct:
            raise
        # runs do not need it
        return (note("database", away.what, away.fix),)
    server.close()
    use = "runs write to it" if chosen.direct else "`ralph sync` sends to it"
    found = f"{server.where}, organisation {server.organisation}, {use}"
    return (ok("database", found),)


def _bytes(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
