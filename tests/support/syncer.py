"""One machine of a team as a process of its own: works, syncs, says how far it is, may be killed.

Arguments: folder, URL, organisation, events in the end, events in one batch.
"""

from __future__ import annotations

import sys
import time
from contextlib import closing
from pathlib import Path

from ralph.domain.errors import DatabaseAway
from ralph.domain.event import Noted
from ralph.ledger import sync as syncing
from ralph.ledger.postgres_server import PostgresServer
from ralph.ledger.sqlite import SqliteLedger
from ralph.ledger.sync_mirror import Mirror

AWAY = 75
PARTS = 4


def main(folder: Path, url: str, organisation: str, quota: int, batch: int) -> int:
    syncing.BATCH = batch
    try:
        with (
            closing(SqliteLedger(folder / "ledger.db")) as ledger,
            closing(Mirror(folder / "team.db")) as mirror,
            closing(PostgresServer(url, organisation)) as server,
        ):
            while True:
                before = ledger.last().seq
                more = min(quota // PARTS + 1, quota - before)
                events = [Noted(before + n, f"{folder.name} {n}", ("learnt",)) for n in range(more)]
                ledger.append(f"p{before % 3}", "r", events, time.time())
                syncing.sync(server, ledger, mirror, (), now=time.time(), told=_tell)
                if not more:
                    return 0
    except DatabaseAway:
        return AWAY


def _tell(moved: syncing.Moved) -> None:
    sys.stdout.write(f"{moved.sent} {moved.received}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _, folder, url, organisation, quota, batch = sys.argv
    sys.exit(main(Path(folder), url, organisation, int(quota), int(batch)))
