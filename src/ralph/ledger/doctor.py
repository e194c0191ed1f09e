"""A look at the ledger: does it open, how big is it, is its chain whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.diagnosis import Diagnosis, ok
from ralph.ledger.sqlite import SqliteLedger
from ralph.policy.diagnose import size
from ralph.policy.status import iso

if TYPE_CHECKING:
    from pathlib import Path

BUSY_SECONDS = 0.5
PROVEN_AT_ONCE = 10_000
"""Entries whose chain is proven within a fraction of a second; for more there is `ralph audit`."""


class LedgerSeen(Struct, frozen=True):
    diagnosis: Diagnosis
    newest: float | None = None
    """When the last event happened."""


def look(path: Path) -> LedgerSeen:
    """What there is; a LedgerError or StorageError says why it cannot be used."""
    if not path.exists():
        return LedgerSeen(ok("ledger", f"none yet; the first run makes {path}"))
    ledger = SqliteLedger(path, busy_seconds=BUSY_SECONDS)
    try:
        newest = ledger.newest()
        if newest is None:
            return LedgerSeen(ok("ledger", f"{path}, empty"))
        count, at = newest
        chain = "`ralph audit` proves the chain"
        if count <= PROVEN_AT_ONCE:
            ledger.verify()
            chain = "chain intact"
    finally:
        ledger.close()
    found = f"{path}, {size(_bytes(path))}, {count} events, newest {iso(at)}, {chain}"
    return LedgerSeen(ok("ledger", found), at)


def _bytes(path: Path) -> int:
    log = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)
