"""The ledger in PostgreSQL: setting a database up, its errors, and a server that goes away."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from tests.support.postgres import PASSWORD, empty_database, running, team_database

from ralph.domain.diagnosis import Sign
from ralph.domain.errors import ConfigError, DatabaseAway, LedgerError
from ralph.domain.event import Waited
from ralph.domain.settings import LedgerSettings
from ralph.ledger import database as schemas
from ralph.ledger.choose import open_ledger, own_origin
from ralph.ledger.doctor import look_team
from ralph.ledger.postgres import PostgresLedger
from ralph.ledger.postgres_server import SCHEMA, PostgresServer
from ralph.ledger.postgres_setup import set_up

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgres import Database

    from ralph.ledger.postgres_server import Transaction
    from ralph.ledger.postgres_setup import Ready

NEWEST = len(schemas.migrations(SCHEMA))


WRONG = "s3cret"


@pytest.fixture(scope="module")
def database(pg_url: str) -> Iterator[Database]:
    with team_database(pg_url) as made:
        yield made


@pytest.fixture
def owner(pg_url: str) -> Iterator[str]:
    """Of an empty database."""
    with empty_database(pg_url) as url:
        yield url


def name_of(url: str) -> str:
    return str(conninfo_to_dict(url)["dbname"])


def works(url: str, organisation: str = "acme") -> bool:
    with closing(PostgresLedger(url, organisation, "here")) as ledger:
        ledger.append("p", "r", [Waited(1, "")], 1)
        return ledger.verify() > 0


# Setting up


def test_one_command_makes_a_fresh_database_ready(owner: str) -> None:
    ready = set_up(owner, f"{name_of(owner)}_app")

    assert (ready.version, ready.created) == (NEWEST, True)
    assert conninfo_to_dict(ready.url)["password"]
    assert works(ready.url)


def test_it_may_be_run_again(owner: str) -> None:
    role = f"{name_of(owner)}_app"
    first = set_up(owner, role)
    works(first.url)
    again = set_up(owner, role)

    assert not again.created
    assert "password" not in conninfo_to_dict(again.url)
    assert works(first.url)


def test_several_may_run_it_at_once(owner: str) -> None:
    ready: list[Ready] = []
    role = f"{name_of(owner)}_app"
    threads = [threading.Thread(target=lambda: ready.append(set_up(owner, role))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(ready) == 4
    assert works(next(one.url for one in ready if one.created))


def test_an_owner_without_great_rights_lets_an_existing_login_in(owner: str) -> None:
    name = name_of(owner)
    with psycopg.connect(owner) as db:
        for role in ("dba", "app"):
            db.execute(f"CREATE ROLE {name}_{role} LOGIN PASSWORD '{PASSWORD}'".encode())
        db.execute(f"GRANT CREATE ON DATABASE {name} TO {name}_dba".encode())
    ready = set_up(make_conninfo(owner, user=f"{name}_dba", password=PASSWORD), f"{name}_app")

    assert not ready.created
    assert works(make_conninfo(owner, user=f"{name}_app", password=PASSWORD))


def test_one_login_for_everything_is_kept_apart_too(owner: str) -> None:
    name = name_of(owner)
    solo = make_conninfo(owner, user=f"{name}_solo", password=PASSWORD)
    with psycopg.connect(owner) as db:
        db.execute(f"CREATE ROLE {name}_solo LOGIN PASSWORD '{PASSWORD}'".encode())
        db.execute(f"GRANT CREATE ON DATABASE {name} TO {name}_solo".encode())
    set_up(solo, f"{name}_solo")

    assert works(solo, "one")
    with psycopg.connect(solo) as db:
        assert db.execute("SELECT count(*) FROM ralph.events").fetchone() == (0,)


def test_a_role_above_the_rules_is_refused(owner: str) -> None:
    with pytest.raises(LedgerError, match="bypasses the rules"):
        set_up(owner, str(conninfo_to_dict(owner)["user"]))


# Errors, each with what to do


@contextmanager
def version(database: Database, change: int) -> Iterator[None]:
    shift = "UPDATE ralph.migrations SET version = version + %s WHERE version = %s"
    with psycopg.connect(database.owner, autocommit=True) as db:
        db.execute(shift, [change, NEWEST])
        yield
        db.execute(shift, [-change, NEWEST + change])


def refusal(url: str) -> str:
    with pytest.raises(LedgerError) as caught:
        PostgresServer(url, "acme")
    assert caught.value.fix
    assert len(str(caught.value).splitlines()) <= 3
    return str(caught.value)


def test_a_newer_and_an_older_schema_are_told(database: Database) -> None:
    with version(database, 7):
        told = f"newer Ralph (schema {NEWEST + 7}, this one knows {NEWEST})"
        assert told in refusal(database.app)
        with pytest.raises(LedgerError, match="newer Ralph"):
            set_up(database.owner, "nobody_new")
    with version(database, -NEWEST):
        told = f"older than this Ralph (schema {NEWEST - 1}, it needs {NEWEST})"
        assert told in refusal(database.app)


def test_what_stands_in_the_way_is_told(database: Database, owner: str) -> None:
    assert "refused the password" in refusal(make_conninfo(database.app, password=WRONG))
    assert "cannot be opened" in refusal(make_conninfo(database.app, dbname="no_such_database"))
    assert "does not answer" in refusal(make_conninfo(database.app, port="1"))
    assert "not set up for Ralph" in refusal(owner)
    with psycopg.connect(owner) as db:
        db.execute(f"CREATE ROLE {name_of(owner)}_x LOGIN PASSWORD '{PASSWORD}'".encode())
    ready = set_up(owner, f"{name_of(owner)}_app")
    assert "lacks rights" in refusal(
        make_conninfo(ready.url, user=f"{name_of(owner)}_x", password=PASSWORD)
    )


def test_a_password_is_never_shown(database: Database) -> None:
    for url in ("postgresql://ada:s3cret@[::/x", make_conninfo(database.app, password=WRONG)):
        assert WRONG not in refusal(url)
    assert "is not an address of a database" in refusal("postgresql://ada:s3cret@[::/x")


def test_a_missing_client_library_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install '.[postgres]'" in refusal("postgresql://host/x")


def test_the_organisation_must_have_a_name(database: Database) -> None:
    with pytest.raises(ConfigError, match="organisation is empty"):
        PostgresServer(database.app, "")


def test_the_doctor_has_a_line_about_it(database: Database) -> None:
    assert look_team(LedgerSettings()) == ()
    (fine,) = look_team(LedgerSettings(database.app, "acme"))
    assert (fine.sign, "organisation acme" in fine.found) == (Sign.OK, True)
    away = make_conninfo(database.app, port="1")
    (noted,) = look_team(LedgerSettings(away))
    assert noted.sign is Sign.NOTE, "runs do not need it"
    with pytest.raises(DatabaseAway):
        look_team(LedgerSettings(away, direct=True))


# Written to directly


def test_settings_choose_the_ledger(database: Database, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No team's database"):
        open_ledger(LedgerSettings(direct=True), tmp_path)
    for origin in ("", "", "shared"):
        chosen = LedgerSettings(database.app, "acme", direct=True, origin=origin)
        ledger = open_ledger(chosen, tmp_path)
        ledger.append("chosen", "r", [Waited(1, "")], 1)
        found = len(list(ledger.read("chosen")))
        ledger.close()
    assert found == 1
    with closing(PostgresLedger(database.app, "acme", own_origin(tmp_path))) as ledger:
        assert len(list(ledger.read("chosen"))) == 2
    assert not (tmp_path / "ledger.db").exists()


def test_a_server_that_restarts_is_waited_for() -> None:
    with running() as server:
        ready = set_up(server.url)
        ledger = PostgresLedger(ready.url, "acme", "here")
        ledger.append("p", "r", [Waited(1, "")], 1)
        server.stop(signal.SIGQUIT)
        starting = threading.Timer(0.3, server.start)
        starting.start()
        ledger.append("p", "r", [Waited(2, "")], 2)
        starting.join()

        assert [r.event for r in ledger.read("p")] == [Waited(1, ""), Waited(2, "")]
        assert ledger.verify() == 2
        ledger.close()


def test_a_server_that_stays_away_is_an_error(database: Database) -> None:
    with closing(PostgresLedger(database.app, "acme", "away", patience=0)) as ledger:
        ledger._server._url = make_conninfo(database.app, port="1")
        ledger._server._db.close()
        with pytest.raises(DatabaseAway, match="does not answer"):
            ledger.append("p", "r", [Waited(1, "")], 1)


def test_an_append_whose_answer_got_lost_is_not_made_twice(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresLedger(database.app, "acme", "lost answers")) as ledger:
        real, calls = ledger._server.transaction, []

        @contextmanager
        def deaf(project: str = "") -> Iterator[Transaction]:
            calls.append(1)
            with real(project) as work:
                yield work
            if len(calls) == 1:
                raise DatabaseAway

        monkeypatch.setattr(ledger._server, "transaction", deaf)
        recorded = ledger.append("p", "r", [Waited(1, ""), Waited(2, "")], 1)

        assert list(ledger.read("p")) == recorded
        assert not ledger.changed()
        assert ledger.verify() == 2
