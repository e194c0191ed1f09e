"""The SQLite ledger on a real disk, with real processes beside it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

import ralph
from ralph.domain.errors import LedgerBroken, LedgerError, StorageError
from ralph.domain.event import Decided, Noted, Waited
from ralph.ledger import database
from ralph.ledger.chain import StoredEvent
from ralph.ledger.database import APPLICATION_ID, connect, migrations, statements
from ralph.ledger.sqlite import SqliteLedger

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = str(Path(ralph.__file__).parent.parent)

WRITER = """
import sys
from pathlib import Path
from ralph.domain.event import Waited
from ralph.ledger.sqlite import SqliteLedger

path, project, batches = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
ledger = SqliteLedger(path)
print("ready", flush=True)
sys.stdin.readline()
for batch in range(batches):
    ledger.append(project, "r", [Waited(batch, str(part)) for part in range(3)], batch)
"""


def writer(path: Path, project: str, batches: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), project, str(batches)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def start_together(*writers: subprocess.Popen[bytes]) -> None:
    """Let them go only when all have opened the ledger, so that they do meet."""
    for one in writers:
        assert one.stdout is not None
        assert one.stdout.readline() == b"ready\n"
    for one in writers:
        assert one.stdin is not None
        one.stdin.write(b"go\n")
        one.stdin.flush()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "ledger.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[SqliteLedger]:
    with closing(SqliteLedger(path)) as opened:
        yield opened


def raw(path: Path, *commands: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for command in commands:
            db.execute(command)


def whole_batches(ledger: SqliteLedger, project: str) -> int:
    """How many batches a writer left, after checking that each is complete and in order."""
    told = [r.event for r in ledger.read(project)]
    count, rest = divmod(len(told), 3)
    assert rest == 0
    assert told == [Waited(batch, str(part)) for batch in range(count) for part in range(3)]
    return count


# Several processes


def test_two_processes_append_at_once_and_nothing_is_lost(path: Path) -> None:
    both = [writer(path, project, 200) for project in ("one", "two")]
    start_together(*both)
    for process in both:
        process.communicate()
        assert process.returncode == 0

    with closing(SqliteLedger(path)) as ledger:
        assert [whole_batches(ledger, p) for p in ("one", "two")] == [200, 200]
        assert ledger.verify() == 1200


def test_a_second_connection_takes_no_lock_from_the_first(path: Path) -> None:
    """A page that is open for days opens the ledger again for everything that it does."""
    first = SqliteLedger(path)
    first.append("p", "r", [Waited(1, "a")], 1)
    log = path.with_name(f"{path.name}-wal")
    before = log.stat().st_ino
    SqliteLedger(path).close()
    with writer(path, "p", 1) as other:
        start_together(other)  # and it ends: as the last one it would take the log away
    assert other.returncode == 0
    assert log.stat().st_ino == before
    assert first.append("p", "r", [Waited(2, "b")], 2)[0].seq == 5
    first.close()
    with closing(SqliteLedger(path)) as again:
        assert again.verify() == 5


def test_many_processes_create_the_same_ledger_at_once(path: Path) -> None:
    several = [writer(path, str(number), 2) for number in range(6)]
    start_together(*several)
    for process in several:
        process.communicate()
        assert process.returncode == 0

    with closing(SqliteLedger(path)) as ledger:
        assert ledger.verify() == 36
        assert len(ledger._db.execute("SELECT origin FROM ledger").fetchall()) == 1


def test_a_writer_killed_at_any_moment_leaves_whole_batches(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        for kill in range(20):
            project = f"p{kill}"
            with writer(path, project, 1_000_000) as process:
                start_together(process)
                while sum(1 for _ in ledger.read(project)) <= 3 * kill:
                    assert process.poll() is None
                process.send_signal(signal.SIGKILL)

            assert whole_batches(ledger, project) > 0
            ledger.append("survivor", "r", [Waited(kill, "on")], 1)
        assert ledger.verify() == 20 + sum(len(list(ledger.read(f"p{n}"))) for n in range(20))


def test_a_ledger_locked_by_another_program_is_an_error_with_a_fix(path: Path) -> None:
    with closing(SqliteLedger(path, busy_seconds=0.05)) as ledger:
        ledger.append("p", "r", [Waited(1, "")], 1)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(LedgerError, match=r"is locked by another program\.\nClose"):
                ledger.append("p", "r", [Waited(2, "")], 1)
            assert len(list(ledger.read("p"))) == 1
            other.execute("ROLLBACK")
        ledger.append("p", "r", [Waited(3, "")], 1)
        assert ledger.verify() == 2


def test_opening_a_ledger_that_is_held_exclusively_is_an_error(path: Path) -> None:
    SqliteLedger(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is locked by another program"):
            SqliteLedger(path, busy_seconds=0.05)


class Busy:
    """A connection whose mode cannot be changed yet."""

    def __init__(self, times: int) -> None:
        self.times = times

    def execute(self, sql: str) -> Busy:
        if self.times:
            self.times -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return self

    def fetchone(self) -> None: ...


def test_changing_the_mode_waits_for_others_that_do_the_same() -> None:
    busy = Busy(2)
    database._use_wal(cast("sqlite3.Connection", busy), deadline=float("inf"))
    assert busy.times == 0

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        database._use_wal(cast("sqlite3.Connection", Busy(1)), deadline=0)


# Durability and privacy


def test_the_file_is_durable_and_private(path: Path, ledger: SqliteLedger) -> None:
    assert ledger._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert ledger._db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert ledger._db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_origin_stays(path: Path, tmp_path: Path, ledger: SqliteLedger) -> None:
    with closing(SqliteLedger(path)) as again, closing(SqliteLedger(tmp_path / "b.db")) as another:
        assert again.origin == ledger.origin
        assert another.origin != ledger.origin


def test_lookups_use_their_indexes(ledger: SqliteLedger) -> None:
    for name, values in {
        "by_project": ("p", 0, 1),
        "by_kind": ("p", "k", 0, 1),
        "by_kind_newest_first": ("p", "k", 0, 1),
        "by_iteration": ("p", 1, 0, 1),
        "by_task": ("p", "t", 0, 1),
        "contains": ("h",),
    }.items():
        explain = f"EXPLAIN QUERY PLAN {ledger._sql[name]}"
        plan = " ".join(row[3] for row in ledger._db.execute(explain, values))
        assert "SEARCH events USING" in plan, name
        assert "TEMP B-TREE" not in plan, name


# Append only


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{}' WHERE seq = 1",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events VALUES (1, 1.0, 'p', 'r', 'k', 1, 't', '{}', '', 'h')",
        "UPDATE ledger SET origin = 'mine'",
        "DELETE FROM ledger",
    ],
)
def test_the_database_itself_refuses_to_change_the_past(
    path: Path, ledger: SqliteLedger, statement: str
) -> None:
    ledger.append("p", "r", [Waited(1, ""), Waited(2, "")], 1)

    with pytest.raises(sqlite3.IntegrityError, match="the ledger"):
        raw(path, statement)

    assert ledger.verify() == 2


@pytest.mark.parametrize("change", ["iteration = 2", "task = 'else'", "iteration = NULL"])
def test_a_changed_lookup_column_is_found(path: Path, ledger: SqliteLedger, change: str) -> None:
    ledger.append("p", "r", [Waited(1, ""), Noted(1, "note")], 1)
    update = f"UPDATE events SET {change} WHERE seq = 2"  # noqa: S608 - ours
    raw(path, "DROP TRIGGER events_are_not_updated", update)

    with pytest.raises(LedgerBroken, match="at event 2: its iteration or task"):
        ledger.verify()


@pytest.mark.parametrize("column", ["body", "project", "kind", "run"])
def test_bytes_that_are_not_text_are_found(path: Path, ledger: SqliteLedger, column: str) -> None:
    ledger.append("p", "r", [Waited(1, ""), Waited(2, "")], 1)
    change = f"UPDATE events SET {column} = CAST(x'ff' AS TEXT) WHERE seq = 2"  # noqa: S608 - ours
    raw(path, "DROP TRIGGER events_are_not_updated", change)

    with pytest.raises(LedgerBroken, match="at event 2: it has been changed"):
        ledger.verify()


def test_an_event_only_a_newer_version_can_read_does_not_break_the_chain(
    path: Path, ledger: SqliteLedger
) -> None:
    (kept,) = ledger.append("p", "r", [Waited(1, "")], 1)
    body = b'{"iteration":1,"action":"levitate","why":""}'
    entry = StoredEvent(2, 1.0, "p", "r", Decided.__name__, body, kept.hash, "")
    row = (*entry._replace(hash=entry.digest(ledger.origin)), 1, None)
    ledger._db.execute(ledger._sql["append"], row)

    assert ledger.verify() == 2
    with pytest.raises(LedgerError, match="Update Ralph"):
        list(ledger.read("p"))


# Files that are no ledger, and disks that are full


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look at " * 9])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ledger.db"
    path.write_bytes(content)

    with pytest.raises(LedgerError, match="is not a Ralph ledger"):
        SqliteLedger(path)

    assert path.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    raw(path, "CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()

    with pytest.raises(LedgerError, match="is not a Ralph ledger"):
        SqliteLedger(path)

    assert path.read_bytes() == before


def test_a_damaged_database_is_an_error_with_a_fix(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.append("p", "r", [Noted(1, "x" * 1000) for _ in range(200)], 1)
    content = bytearray(path.read_bytes())
    content[8192:-4096] = b"\xa5" * (len(content) - 8192 - 4096)
    path.write_bytes(content)

    with (
        pytest.raises(LedgerError, match=r"is damaged.*\nKeep a copy"),
        closing(SqliteLedger(path)) as ledger,
    ):
        ledger.verify()


def test_a_ledger_of_a_newer_version_is_refused(path: Path) -> None:
    SqliteLedger(path).close()
    raw(path, "PRAGMA user_version = 99")

    with pytest.raises(LedgerError, match=r"newer Ralph \(schema 99.*\nUpdate Ralph"):
        SqliteLedger(path)


def test_a_folder_in_the_ledger_s_place_is_an_error(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StorageError, match=r"Cannot open the ledger"):
        SqliteLedger(path)


def test_a_file_in_the_folder_s_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageError, match=r"Cannot open the ledger"):
        SqliteLedger(tmp_path / "home" / "ledger.db")


def test_a_full_disk_is_an_error_and_leaves_no_half_batch(ledger: SqliteLedger) -> None:
    (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
    ledger._db.execute(f"PRAGMA max_page_count = {pages + 10}")

    with pytest.raises(StorageError, match=r"the disk is full\.\nFree"):
        ledger.append("p", "r", [Noted(1, "x" * 10_000) for _ in range(20)], 1)

    assert list(ledger.read("p")) == []
    ledger.append("p", "r", [Waited(1, "")], 1)
    assert ledger.verify() == 1


def test_a_read_only_ledger_is_an_error(ledger: SqliteLedger) -> None:
    ledger._db.execute("PRAGMA query_only = ON")
    with pytest.raises(StorageError, match=r"Cannot write to .*permission denied"):
        ledger.append("p", "r", [Waited(1, "")], 1)


# Migrations

KNOWN = len(migrations())
SECOND = """
CREATE TABLE extras (name TEXT);
CREATE TRIGGER extras_stay BEFORE DELETE ON extras
BEGIN
    SELECT raise(ABORT, 'no; really');
END;
"""


def test_an_older_ledger_is_copied_and_brought_up_to_date(path: Path) -> None:
    with closing(SqliteLedger(path)) as ledger:
        ledger.append("p", "r", [Waited(1, "")], 1)
    scripts = [*migrations(), SECOND, "CREATE TABLE third (name TEXT);"]

    with closing(connect(path, 5, scripts)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KNOWN + 2,)
        assert db.execute("SELECT count(*) FROM extras, third").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM events").fetchone() == (1,)

    with closing(SqliteLedger(path.with_name(f"ledger.db.v{KNOWN}"))) as copy:
        assert copy.verify() == 1
    assert sorted(p.name for p in path.parent.glob("*")) == ["ledger.db", f"ledger.db.v{KNOWN}"]


def test_a_ledger_of_the_first_schema_is_brought_up_to_date(path: Path) -> None:
    connect(path, 5, migrations()[:1]).close()

    with closing(SqliteLedger(path)) as ledger:
        ledger.append("p", "r", [Waited(1, "")], 1)
        plan = ledger._db.execute(
            "EXPLAIN QUERY PLAN " + ledger._sql["across"], ("Waited", 0, 1)
        ).fetchall()

    assert "events_over_projects" in str(plan)
    assert path.with_name("ledger.db.v1").exists()


def test_a_new_ledger_is_not_copied(path: Path) -> None:
    connect(path, 5, [*migrations(), SECOND]).close()
    assert [p.name for p in path.parent.iterdir()] == ["ledger.db"]


def test_a_migration_that_fails_leaves_the_version_before(path: Path) -> None:
    with pytest.raises(LedgerError, match="nonsense"):
        connect(
            path,
            5,
            [*migrations(), SECOND, "CREATE TABLE third (a);\nINSERT INTO nonsense VALUES (1);"],
        )

    with closing(connect(path, 5, [*migrations(), SECOND])) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KNOWN + 1,)
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master")]
        assert "extras" in names
        assert "third" not in names


def test_a_migration_that_another_process_made_meanwhile_is_not_made_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = [*migrations(), SECOND]
    connect(path, 5, scripts).close()
    monkeypatch.setattr(database, "_identify", lambda db, path: KNOWN)

    connect(path, 5, scripts).close()

    assert [p.name for p in path.parent.iterdir()] == ["ledger.db"]


def test_scripts_are_split_at_the_ends_of_statements() -> None:
    assert len(list(statements(SECOND))) == 2
    assert list(statements("SELECT 1;\n\n")) == ["SELECT 1;\n"]
    assert list(statements("SELECT 1")) == ["SELECT 1"]
