"""Events between machines and the team's database: killed, repeated, delayed, set back."""

from __future__ import annotations

import threading
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.support.postgres import team_database

from ralph.domain.answer import Ended
from ralph.domain.errors import LedgerBroken
from ralph.domain.event import AgentFinished, Noted, RunStarted, Settled, Waited
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level
from ralph.ledger import sync as syncing
from ralph.ledger.chain import prove
from ralph.ledger.postgres import PostgresLedger
from ralph.ledger.postgres_server import PostgresServer, store
from ralph.ledger.sqlite import SqliteLedger
from ralph.ledger.sync import Moved, pull, push, sync
from ralph.ledger.sync_mirror import Clone, Mirror

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.postgres import Database

    from ralph.domain.event import Event
    from ralph.ledger.chain import StoredEvent


@dataclass
class Machine:
    folder: Path
    url: str
    organisation: str

    def __post_init__(self) -> None:
        self.ledger = SqliteLedger(self.folder / "ledger.db")
        self.mirror = Mirror(self.folder / "team.db")
        self.server = PostgresServer(self.url, self.organisation)

    def work(self, *events: Event, times: int = 1) -> None:
        every = list(events) or [Waited(1, "because")]
        self.ledger.append("p", "r", every * times, 5)

    def sync(self, *clones: Clone) -> Moved:
        return sync(self.server, self.ledger, self.mirror, clones, now=7)

    @property
    def team(self) -> int:
        return self.mirror.know(self.server.id, self.organisation, "here")

    def own(self) -> list[StoredEvent]:
        return [entry for entry, _ in self.ledger.entries(0, 1_000_000)]

    def others(self) -> dict[str, list[StoredEvent]]:
        return self.mirror.entries(self.team)

    def close(self) -> None:
        for one in (self.ledger, self.mirror, self.server):
            one.close()


@pytest.fixture(scope="module")
def database(pg_url: str) -> Iterator[Database]:
    with team_database(pg_url) as made:
        yield made


@pytest.fixture
def machines(database: Database, tmp_path: Path) -> Iterator[list[Machine]]:
    """Of an organisation that no other test knows."""
    organisation = uuid.uuid4().hex
    made = [
        Machine(tmp_path / name, database.app, organisation) for name in ("one", "two", "three")
    ]
    yield made
    for machine in made:
        machine.close()


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syncing, "BATCH", 7)


def back_up(machine: Machine, folder: Path) -> None:
    folder.mkdir()
    machine.ledger._db.execute("VACUUM INTO ?", (str(folder / "ledger.db"),))


def stored(database: Database, machine: Machine) -> list[tuple[int, str]]:
    with psycopg.connect(database.owner) as db:
        wanted = "SELECT seq, hash FROM ralph.events WHERE org_id = %s AND origin = %s ORDER BY seq"
        return db.execute(wanted, [machine.organisation, machine.ledger.origin]).fetchall()


def whole(database: Database, machine: Machine) -> bool:
    return stored(database, machine) == [(entry.seq, entry.hash) for entry in machine.own()]


@pytest.mark.usefixtures("small_batches")
def test_every_machine_gets_what_the_others_did(
    database: Database, machines: list[Machine]
) -> None:
    one, two, three = machines
    for number, machine in enumerate(machines, start=1):
        machine.work(times=10 * number)

    assert one.sync() == Moved(10, 0)
    assert two.sync() == Moved(20, 10)
    assert three.sync() == Moved(30, 30)
    assert one.sync() == Moved(0, 50)
    assert two.sync() == Moved(0, 30)

    for machine in machines:
        assert whole(database, machine)
        expected = {m.ledger.origin: m.own() for m in machines if m is not machine}
        assert machine.others() == expected
        assert machine.sync() == Moved(0, 0)


def test_strange_text_arrives_as_it_was(machines: list[Machine]) -> None:
    one, two, _ = machines
    for text in ("nul \0 inside", "lone \ud800", "\\0 \\\\", "\U0001f600 \u2028"):
        one.ledger.append(text, text, [Noted(1, text, (text,))], 1.1)
    one.sync(Clone(one.ledger.origin, "nul \0 inside", "\\0", ""))
    two.sync()

    assert two.others() == {one.ledger.origin: one.own()}
    assert prove(one.ledger.origin, two.others()[one.ledger.origin], "there", None) == 4
    assert Clone(one.ledger.origin, "nul \0 inside", "\\0", "") in two.mirror.clones(two.team)


@pytest.mark.usefixtures("small_batches")
def test_a_push_that_is_killed_goes_on_where_it_was(
    database: Database, machines: list[Machine]
) -> None:
    one = machines[0]
    one.work(times=20)
    assert next(push(one.server, one.ledger)) == (0, 7)

    assert len(stored(database, one)) == 7
    assert list(push(one.server, one.ledger)) == [(0, 7), (0, 13)]
    assert whole(database, one)


@pytest.mark.usefixtures("small_batches")
def test_a_pull_that_is_killed_goes_on_where_it_was(machines: list[Machine]) -> None:
    one, two, _ = machines
    one.work(times=20)
    one.sync()
    assert next(pull(two.server, two.mirror, two.team, two.ledger.origin)) == 7

    assert list(pull(two.server, two.mirror, two.team, two.ledger.origin)) == [7, 13]
    assert two.others() == {one.ledger.origin: one.own()}


def test_what_arrives_again_is_kept_once(machines: list[Machine]) -> None:
    one, two, _ = machines
    one.work(times=20)
    one.sync()
    two.sync()

    assert two.mirror.take(two.team, one.ledger.origin, one.own()[5:]) == 0
    assert two.others() == {one.ledger.origin: one.own()}


def test_a_slow_transaction_is_not_stepped_over(machines: list[Machine]) -> None:
    one, two, three = machines
    one.work(times=3)
    two.work(times=5)
    with one.server.transaction() as slow:
        slow.row("lock", origin=one.ledger.origin)
        store(slow, one.ledger.origin, one.ledger.entries(0, 3))
        two.sync()  # began later than the slow one, and ends earlier
        assert three.sync() == Moved(0, 5)

    assert three.sync() == Moved(0, 3)
    assert three.others() == {m.ledger.origin: m.own() for m in (one, two)}


def test_a_chain_cannot_be_seen_before_its_beginning(
    database: Database, machines: list[Machine]
) -> None:
    """Even a writer that takes no lock cannot get ahead of one that has not ended yet."""
    one = machines[0]
    one.work(times=4)
    with (
        closing(PostgresServer(database.app, one.organisation)) as hasty,
        one.server.transaction() as slow,
    ):
        store(slow, one.ledger.origin, one.ledger.entries(0, 2))
        with pytest.raises(LedgerBroken, match="does not follow"), hasty.transaction() as work:
            store(work, one.ledger.origin, one.ledger.entries(2, 2))


def test_a_server_that_was_set_back_gets_everything_again(
    database: Database, machines: list[Machine]
) -> None:
    one, two, three = machines
    one.work(times=9)
    one.sync()
    two.sync()
    with psycopg.connect(database.owner) as db:
        db.execute("SET session_replication_role = replica")
        set_back = "DELETE FROM ralph.events WHERE seq > 4 AND org_id = %s"
        db.execute(set_back, [one.organisation])

    assert two.sync() == Moved(0, 0)
    assert one.sync() == Moved(5, 0)
    one.work(times=2)
    assert one.sync() == Moved(2, 0)
    assert two.sync() == Moved(0, 2)
    assert three.sync() == Moved(0, 11)
    assert two.others() == three.others() == {one.ledger.origin: one.own()}


def test_two_who_send_the_same_ledger_double_nothing(
    database: Database, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "BATCH", 11)
    one = machines[0]
    one.work(times=300)
    sent: list[int] = []

    def send() -> None:
        with (
            closing(SqliteLedger(one.ledger.path)) as ledger,
            closing(PostgresServer(database.app, one.organisation)) as server,
        ):
            sent.append(list(push(server, ledger))[-1][1])

    threads = [threading.Thread(target=send) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(sent) == 300
    assert whole(database, one)


def test_an_old_copy_that_went_on_by_itself_is_refused(
    database: Database, machines: list[Machine], tmp_path: Path
) -> None:
    one = machines[0]
    one.work(times=3)
    back_up(one, tmp_path / "copy")
    one.work(times=2)
    one.sync()
    with closing(Machine(tmp_path / "copy", database.app, one.organisation)) as copy:
        for more in (1, 3):  # shorter than what the server has, then longer
            copy.work(Waited(99, "elsewhere"), times=more)
            with pytest.raises(LedgerBroken, match="disagree about event"):
                copy.sync()
        assert copy.ledger.verify() == 7
    assert whole(database, one)


def test_an_old_copy_gets_back_what_it_lost(
    database: Database, machines: list[Machine], tmp_path: Path
) -> None:
    one = machines[0]
    one.work(times=3)
    back_up(one, tmp_path / "copy")
    one.work(Settled(1, "t", "c", Level.PROVEN), times=2)
    one.sync()
    with closing(Machine(tmp_path / "copy", database.app, one.organisation)) as copy:
        assert copy.sync() == Moved(0, 0, restored=2)
        assert copy.own() == one.own()
        assert len(list(copy.ledger.of_task("p", "t"))) == 2
        copy.work()
        assert copy.sync() == Moved(1, 0)
        assert copy.ledger.verify() == 6


def test_a_ledger_that_was_changed_is_not_sent(database: Database, machines: list[Machine]) -> None:
    one = machines[0]
    one.work(times=5)
    one.ledger._db.execute("DROP TRIGGER events_are_not_updated")
    one.ledger._db.execute("UPDATE events SET body = '{\"seconds\":9}' WHERE seq = 3")

    with pytest.raises(LedgerBroken, match="broken at event 3"):
        one.sync()
    assert stored(database, one) == []


def test_a_server_that_was_changed_is_not_believed(
    database: Database, machines: list[Machine]
) -> None:
    one, two, three = machines
    for machine in (one, three):
        machine.work(times=5)
        machine.sync()
    with psycopg.connect(database.owner) as db:
        db.execute("SET session_replication_role = replica")
        changed = "UPDATE ralph.events SET body = '{\"seconds\":9}' WHERE seq = 3 AND origin = %s"
        db.execute(changed, [one.ledger.origin])

    with pytest.raises(LedgerBroken, match=r"broken at event 3 of \w{12}: it has been changed"):
        two.sync()
    assert two.others() == {three.ledger.origin: three.own()}, "the others' events are good"


def test_a_database_that_moves_goes_on(pg_url: str, tmp_path: Path) -> None:
    with team_database(pg_url) as old:
        one = Machine(tmp_path / "one", old.app, "movers")
        two = Machine(tmp_path / "two", old.app, "movers")
        one.work(times=5)
        one.sync()
        two.sync()
        for machine in (one, two):
            machine.close()
        name = str(psycopg.conninfo.conninfo_to_dict(old.owner)["dbname"])
        with psycopg.connect(pg_url, autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name}_moved TEMPLATE {name}".encode())
            try:
                moved = psycopg.conninfo.make_conninfo(old.app, dbname=f"{name}_moved")
                with (
                    closing(Machine(tmp_path / "one", moved, "movers")) as one,
                    closing(Machine(tmp_path / "two", moved, "movers")) as two,
                ):
                    one.work(times=1)
                    assert one.sync() == Moved(1, 0)
                    assert two.sync() == Moved(0, 1)
                    assert two.others() == {one.ledger.origin: one.own()}
            finally:
                admin.execute(f"DROP DATABASE {name}_moved WITH (FORCE)".encode())


def test_what_is_written_directly_reaches_the_others(
    database: Database, machines: list[Machine]
) -> None:
    one = machines[0]
    with closing(PostgresLedger(database.app, one.organisation, "direct")) as ledger:
        recorded = ledger.append("p", "r", [Waited(1, ""), Waited(2, "")], 1)
    assert one.sync() == Moved(0, 2)
    assert [entry.hash for entry in one.others()["direct"]] == [r.hash for r in recorded]


def test_another_organisation_gets_nothing(database: Database, machines: list[Machine]) -> None:
    one = machines[0]
    one.work(times=5)
    one.sync()
    with closing(Machine(one.folder.with_name("stranger"), database.app, "rivals")) as stranger:
        stranger.work(times=2)
        assert stranger.sync() == Moved(2, 0)
        assert stranger.others() == {}
    assert machines[1].sync() == Moved(0, 5)


def test_the_mirror_tells_what_the_others_do(machines: list[Machine]) -> None:
    one, two, _ = machines
    started = RunStarted(
        "PRD.json", "goal", "b", "c", "claude", "/w", worktree=False, pid=1, host="ada", version="1"
    )
    spent = AgentFinished(1, "t", Ended.EXITED, 0, 1.0, 1, "", Usage(cost_usd=1.25))
    done = Settled(1, "t", "c", Level.PROVEN)
    one.work(started, spent, done, spent, done)
    one.sync(Clone(one.ledger.origin, "p", "shop", "f00"))
    two.sync()

    team = two.mirror.team(two.organisation)
    assert team is not None
    assert (team.at, len(team.members)) == (7, 1)
    member = team.members[0]
    assert (member.host, member.name, member.root, member.plan) == (
        "ada",
        "shop",
        "f00",
        "PRD.json",
    )
    assert (member.running, member.runs, member.settled) == (True, 1, 1)
    assert (member.cost, member.events, member.newest) == (2.5, 5, 5.0)
    assert two.mirror.team("rivals") is None
