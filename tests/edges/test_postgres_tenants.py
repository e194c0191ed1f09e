"""Organisations in one database: every way we know to reach across ends at nothing or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from tests.support.postgres import team_database

from ralph.domain.errors import LedgerError
from ralph.domain.event import Waited
from ralph.ledger.postgres import PostgresLedger
from ralph.ledger.postgres_server import PostgresServer
from ralph.ledger.postgres_setup import set_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg import Connection
    from tests.support.postgres import Database

TABLES = ("ralph.events", "ralph.snapshots", "ralph.clones", "ralph.progress")
ROW = (
    "INSERT INTO ralph.events (org_id, origin, seq, at, project, run, kind, body, prev, hash) "
    "VALUES (%s, %s, %s, 1, 'p', 'r', 'Waited', '{}', '', 'h')"
)


@pytest.fixture(scope="module")
def database(pg_url: str) -> Iterator[Database]:
    """Both organisations have an event, a snapshot and a clone."""
    with team_database(pg_url) as made:
        for name in ("ours", "theirs"):
            ledger = PostgresLedger(made.app, name, f"machine of {name}")
            ledger.append("p", "r", [Waited(1, name)], 1)
            ledger.close()
        with psycopg.connect(made.owner) as db:
            for name in ("ours", "theirs"):
                origin = f"machine of {name}"
                values = [name, origin, "p", 1, "", 1, "{}"]
                db.execute(
                    "INSERT INTO ralph.snapshots VALUES (%s, %s, %s, %s, %s, %s, %s)", values
                )
                clone = [name, origin, "p", "shop", ""]
                db.execute("INSERT INTO ralph.clones VALUES (%s, %s, %s, %s, %s)", clone)
        yield made


@pytest.fixture
def db(database: Database) -> Iterator[Connection[Any]]:
    """The application's own connection, without an organisation."""
    with psycopg.connect(database.app, autocommit=True) as connection:
        yield connection


def act_for(db: Connection[Any], organisation: str) -> None:
    db.execute("SELECT set_config('app.org_id', %s, true)", [organisation])


def seen(db: Connection[Any], table: str) -> list[str]:
    return [row[0] for row in db.execute(f"TABLE {table}".encode()).fetchall()]


def acting(db: Connection[Any], organisation: str, deed: str, *values: object) -> None:
    with db.transaction():
        act_for(db, organisation)
        db.execute(deed.encode(), values)


@pytest.mark.parametrize("table", TABLES)
def test_an_organisation_sees_its_own(db: Connection[Any], table: str) -> None:
    with db.transaction():
        act_for(db, "ours")
        assert set(seen(db, table)) == {"ours"}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("organisation", ["", "nobody", "' OR true --", "OURS"])
def test_no_organisation_or_a_wrong_one_sees_nothing(
    db: Connection[Any], table: str, organisation: str
) -> None:
    assert seen(db, table) == []
    with db.transaction():
        act_for(db, organisation)
        assert seen(db, table) == []


@pytest.mark.parametrize(
    "question",
    [
        "SELECT org_id FROM ralph.events WHERE org_id = 'theirs'",
        "SELECT 1 FROM ralph.events WHERE (true OR seq > 0) AND org_id <> 'ours'",
        "SELECT e.org_id FROM ralph.events e, ralph.events f WHERE e.org_id <> 'ours'",
        "SELECT max(org_id) FROM ralph.events HAVING max(org_id) <> 'ours'",
        "SELECT (SELECT org_id FROM ralph.events x WHERE x.org_id = 'theirs') WHERE false",
        "SELECT org_id FROM ralph.progress WHERE origin LIKE '%theirs%'",
        "WITH e AS MATERIALIZED (TABLE ralph.events) SELECT 1 FROM e WHERE org_id <> 'ours'",
        # a condition that would tell of rows it is not meant to see, by failing on them
        "SELECT 1 FROM ralph.events WHERE org_id = 'theirs' AND 1 / (seq - seq) = 1",
        "SELECT 1 FROM ralph.events WHERE hash IN (SELECT hash FROM ralph.events) AND kind = 'no'",
    ],
)
def test_questions_about_others_get_no_answer(db: Connection[Any], question: str) -> None:
    with db.transaction():
        act_for(db, "ours")
        assert db.execute(question.encode()).fetchall() == []


def test_a_transaction_for_one_project_reads_and_writes_no_other(
    database: Database, db: Connection[Any]
) -> None:
    ledger = PostgresLedger(database.app, "third", "two projects")
    for project in ("p", "q", "p"):
        ledger.append(project, "r", [Waited(1, project)], 1)
    assert [recorded.seq for recorded in ledger.read("p")] == [1, 3]
    assert ledger.verify() == 3
    ledger.close()
    with db.transaction():
        act_for(db, "third")
        db.execute("SELECT set_config('app.project_id', 'q', true)")
        assert {row[0] for row in db.execute("SELECT project FROM ralph.events")} == {"q"}
        assert seen(db, "ralph.snapshots") == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
            db.execute(ROW, ["third", "new", 1])
    acting(db, "third", ROW, "third", "newer", 1)


def test_copy_gives_out_ones_own_only(db: Connection[Any]) -> None:
    with db.transaction():
        act_for(db, "ours")
        for source in ("ralph.events", "(TABLE ralph.events)"):
            with db.cursor().copy(f"COPY {source} TO STDOUT".encode()) as copy:
                text = b"".join(bytes(block) for block in copy)
            assert b"ours" in text
            assert b"theirs" not in text


def test_copy_cannot_put_anything_in(db: Connection[Any]) -> None:
    with pytest.raises(psycopg.Error, match="row-level security"):
        acting(db, "ours", "COPY ralph.events (org_id, origin, seq) FROM STDIN")


def test_a_prepared_statement_follows_the_organisation(db: Connection[Any]) -> None:
    found = []
    for organisation in ("ours", "theirs", "", "ours"):
        with db.transaction():
            act_for(db, organisation)
            rows = db.execute("SELECT org_id FROM ralph.events", prepare=True).fetchall()
            found.append([org for (org,) in rows])
    assert found == [["ours"], ["theirs"], [], ["ours"]]


def test_a_connection_that_is_used_again_forgets_the_organisation(db: Connection[Any]) -> None:
    with db.transaction():
        act_for(db, "ours")
    assert seen(db, "ralph.events") == []
    with pytest.raises(psycopg.Error, match="division by zero"):
        acting(db, "ours", "SELECT 1 / 0")
    assert seen(db, "ralph.events") == []


def test_functions_run_with_the_rights_of_who_calls(db: Connection[Any]) -> None:
    db.execute(
        "CREATE FUNCTION pg_temp.peek() RETURNS SETOF text LANGUAGE sql "
        "AS 'SELECT org_id FROM ralph.events'"
    )
    db.execute("CREATE TEMP VIEW glimpse AS SELECT org_id FROM ralph.events")
    with db.transaction():
        act_for(db, "ours")
        assert db.execute("SELECT pg_temp.peek()").fetchall() == [("ours",)]
        assert db.execute("SELECT * FROM glimpse").fetchall() == [("ours",)]
    found = db.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'ralph'::regnamespace AND prosecdef"
    )
    assert found.fetchall() == [], "nothing runs with the rights of the owner"


@pytest.mark.parametrize(
    "deed",
    [
        ROW.replace("%s, %s, %s", "'theirs', 'x', 1"),
        "INSERT INTO ralph.clones VALUES ('theirs', 'x', 'p', 'n', '')",
        "UPDATE ralph.clones SET org_id = 'theirs'",
        "UPDATE ralph.snapshots SET org_id = 'theirs'",
    ],
)
def test_nothing_can_be_written_for_others(db: Connection[Any], deed: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        acting(db, "ours", deed)


def test_changing_the_others_rows_finds_none(db: Connection[Any]) -> None:
    with db.transaction():
        act_for(db, "ours")
        done = db.execute("UPDATE ralph.clones SET name = 'mine' WHERE org_id = 'theirs'")
        assert done.rowcount == 0


def test_a_number_that_others_hold_is_free(db: Connection[Any]) -> None:
    """A clash would tell that the other organisation has such an event."""
    with db.transaction(force_rollback=True):
        act_for(db, "ours")
        assert db.execute(ROW.encode(), ["ours", "machine of theirs", 1]).rowcount == 1


@pytest.mark.parametrize(
    "deed",
    [
        "UPDATE ralph.events SET body = ''",
        "DELETE FROM ralph.events",
        "TRUNCATE ralph.events",
        "DROP TABLE ralph.events",
        "ALTER TABLE ralph.events DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE ralph.events DISABLE TRIGGER ALL",
        "CREATE POLICY more ON ralph.events USING (true)",
        "CREATE TABLE ralph.more (a int)",
        "SET session_replication_role = replica",
        "INSERT INTO ralph.logins VALUES (current_user, 'theirs')",
        "UPDATE ralph.database SET id = gen_random_uuid()",
        "ALTER ROLE CURRENT_USER BYPASSRLS",
        "SET ROLE pg_write_all_data",
    ],
)
def test_the_application_cannot_bend_the_rules(db: Connection[Any], deed: str) -> None:
    with pytest.raises(psycopg.Error, match=r"permission denied|must be owner|Only roles"):
        acting(db, "ours", deed)


@pytest.mark.parametrize(
    "deed",
    ["UPDATE ralph.events SET body = ''", "DELETE FROM ralph.events", "TRUNCATE ralph.events"],
)
def test_even_the_owner_cannot_change_what_happened(database: Database, deed: str) -> None:
    with (
        psycopg.connect(database.owner) as db,
        pytest.raises(psycopg.errors.RestrictViolation, match="append-only"),
    ):
        db.execute(f"SET search_path = ralph; {deed}".encode())


@pytest.mark.parametrize(
    ("seq", "prev"), [(3, "h"), (2, "not the hash before"), (1, "something before the first")]
)
def test_an_event_that_does_not_follow_is_refused(db: Connection[Any], seq: int, prev: str) -> None:
    origin = "machine of ours" if seq > 1 else "new machine"
    insert = ROW.replace("'', 'h'", "%s, 'h'")
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="does not follow"):
        acting(db, "ours", insert, "ours", origin, seq, prev)


def test_a_login_of_one_organisation_stays_there(database: Database) -> None:
    name = psycopg.conninfo.conninfo_to_dict(database.owner)["dbname"]
    bound = set_up(database.owner, f"{name}_bound", "ours")
    with psycopg.connect(bound.url, autocommit=True) as db:
        for organisation, expected in (("ours", ["ours"]), ("theirs", [])):
            with db.transaction():
                act_for(db, organisation)
                assert seen(db, "ralph.events") == expected
    ledger = PostgresLedger(bound.url, "theirs", "machine of theirs")
    assert list(ledger.read("p")) == []
    with pytest.raises(LedgerError, match="does not let this login act"):
        ledger.append("p", "r", [Waited(1, "")], 1)
    ledger.close()


def test_a_login_above_the_rules_is_not_used(database: Database) -> None:
    with pytest.raises(LedgerError, match="bypasses the rules"):
        PostgresServer(database.owner, "ours")
