"""Three machines, one database; programs and connections are killed, the server is cut off."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.support import syncer
from tests.support.chance import FULL, seeded
from tests.support.postgres import Server as Postgres
from tests.support.postgres import running

from ralph.ledger.postgres_server import PostgresServer
from ralph.ledger.postgres_setup import set_up
from ralph.ledger.sqlite import SqliteLedger
from ralph.ledger.sync import Moved, sync
from ralph.ledger.sync_mirror import Mirror

if TYPE_CHECKING:
    from ralph.ledger.chain import StoredEvent

pytestmark = [pytest.mark.torture, pytest.mark.timeout(1800)]

MACHINES = ("ada", "bob", "eve")
EVENTS = 100_000 if FULL else 3_000
BATCH = 250 if FULL else 40
BLOWS = 60 if FULL else 4
"""For each machine."""
QUOTA = EVENTS // len(MACHINES) + 1
SHORT_OF_A_BATCH = 0.01


@dataclass
class Machine:
    """Lives again and again, until it is left alone long enough to finish."""

    folder: Path
    url: str
    pg: Postgres
    chance: random.Random
    cut: threading.Event
    blows: list[str] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)

    def run(self) -> None:
        try:
            while len(self.blows) < BLOWS and self._life() != 0:
                if len(self.blows) >= BLOWS // 2:
                    self.cut.set()
        finally:
            self.cut.set()
        while self._life() != 0:
            pass

    def _life(self) -> int:
        """How it ended. After every few batches it is struck, as long as blows are left."""
        arguments = (self.folder, self.url, "team", QUOTA, BATCH)
        with subprocess.Popen(
            (sys.executable, syncer.__file__, *map(str, arguments)),
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        ) as process:
            assert process.stdout is not None
            due = self.chance.randint(1, 6)
            for number, _ in enumerate(process.stdout, start=1):
                if number >= due and len(self.blows) < BLOWS:
                    # somewhere within the next batch
                    time.sleep(self.chance.uniform(0, SHORT_OF_A_BATCH))
                    self._strike(process)
                    due = number + self.chance.randint(1, 6)
        self.codes.append(process.returncode)
        assert process.returncode in (0, -signal.SIGKILL, syncer.AWAY), self.codes
        return process.returncode

    def _strike(self, process: subprocess.Popen[bytes]) -> None:
        if self.chance.random() < 0.5:
            self.blows.append("program")
            process.kill()
            return
        self.blows.append("connection")
        try:
            with psycopg.connect(self.pg.url, autocommit=True) as db:
                db.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = 'ralph_app' ORDER BY random() LIMIT 1"
                )
        except psycopg.OperationalError:
            process.kill()  # the server itself is away just now

    def own(self) -> list[StoredEvent]:
        with closing(SqliteLedger(self.folder / "ledger.db")) as ledger:
            assert ledger.verify() == QUOTA
            return [entry for entry, _ in ledger.entries(0, QUOTA + 1)]

    @property
    def origin(self) -> str:
        with closing(SqliteLedger(self.folder / "ledger.db")) as ledger:
            return ledger.origin

    def sync(self, organisation: str = "team") -> tuple[Moved, dict[str, list[StoredEvent]]]:
        with (
            closing(SqliteLedger(self.folder / "ledger.db")) as ledger,
            closing(Mirror(self.folder / "team.db")) as mirror,
            closing(PostgresServer(self.url, organisation)) as server,
        ):
            moved = sync(server, ledger, mirror, (), now=1)
            return moved, mirror.entries(mirror.know(server.id, organisation, ""))


def rage(machines: list[Machine], pg: Postgres, cut: threading.Event) -> None:
    threads = [threading.Thread(target=machine.run, daemon=True) for machine in machines]
    for thread in threads:
        thread.start()
    cut.wait()
    pg.stop(signal.SIGQUIT)
    pg.start()
    for thread in threads:
        thread.join()


def stored(pg: Postgres, origin: str) -> list[tuple[int, str, bytes]]:
    with psycopg.connect(pg.url) as db:
        wanted = "SELECT seq, hash, convert_to(body, 'UTF8') FROM ralph.events "
        return db.execute(wanted + "WHERE origin = %s ORDER BY seq", [origin]).fetchall()


def test_nothing_is_lost_or_doubled_between_machines(tmp_path: Path) -> None:
    chance = seeded()
    cut = threading.Event()
    with running() as pg:
        url = set_up(pg.url).url
        machines = [
            Machine(tmp_path / name, url, pg, random.Random(chance.random()), cut)  # noqa: S311
            for name in MACHINES
        ]
        began = time.monotonic()
        rage(machines, pg, cut)
        lasted = time.monotonic() - began
        for machine in machines:
            machine.sync()

        chains = {machine.origin: machine.own() for machine in machines}
        for machine in machines:
            moved, others = machine.sync()
            assert moved == Moved(0, 0)
            assert others == {o: chain for o, chain in chains.items() if o != machine.origin}
        for origin, chain in chains.items():
            assert stored(pg, origin) == [(e.seq, e.hash, e.body) for e in chain]
        with psycopg.connect(pg.url) as db:
            (count,) = db.execute("SELECT count(*) FROM ralph.events").fetchone() or (0,)
        assert count == QUOTA * len(MACHINES)

        (tmp_path / "stranger").mkdir()
        stranger = Machine(tmp_path / "stranger", url, pg, chance, cut)
        assert stranger.sync("rivals") == (Moved(0, 0), {})
    blows = [blow for machine in machines for blow in machine.blows]
    assert blows, "nothing was struck"
    print(  # noqa: T201 - the figures of `make torture`
        f"{count} events, {blows.count('program')} programs and {blows.count('connection')} "
        f"connections killed, 1 restart, {lasted:.0f} s"
    )
