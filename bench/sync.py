"""The team's database: how fast a machine that was away sends what it did, and gets the rest."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

from tests.support.postgres import running

from bench.figures import Figure, at_least
from bench.ledger import iteration
from ralph.ledger.postgres_server import PostgresServer
from ralph.ledger.postgres_setup import set_up
from ralph.ledger.sqlite import SqliteLedger
from ralph.ledger.sync import pull, push
from ralph.ledger.sync_mirror import Mirror

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EVENTS = 40_000
AT_ONCE = 500


def transfer(folder: Path) -> Iterator[Figure]:
    """A real server on loopback that waits for its disk, as it would for a team."""
    with running("fsync=on") as pg:
        url = set_up(pg.url).url
        with closing(PostgresServer(url, "bench")) as server:
            yield _push(folder, server)
            yield _pull(folder, server)


def _push(folder: Path, server: PostgresServer) -> Figure:
    with closing(SqliteLedger(folder / "ledger.db")) as ledger:
        for start in range(0, EVENTS // 4, AT_ONCE):
            batch = [event for n in range(start, start + AT_ONCE) for event in iteration(n)]
            ledger.append("bench", "run", batch, time.time())
        began = time.perf_counter()
        *_, (_, sent) = push(server, ledger)
        rate = sent / (time.perf_counter() - began)
    assert sent == EVENTS
    return at_least("events sent to PostgreSQL", rate, 20_000, "events/s")


def _pull(folder: Path, server: PostgresServer) -> Figure:
    with closing(Mirror(folder / "team.db")) as mirror:
        team = mirror.know(server.id, server.organisation, server.where)
        began = time.perf_counter()
        *_, received = pull(server, mirror, team, "another machine")
        rate = received / (time.perf_counter() - began)
    assert received == EVENTS
    return Figure("events received from PostgreSQL", rate, "events/s", "-", True)
