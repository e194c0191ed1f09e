"""Two machines and a team's database, as people use them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.support.dashboard import Dashboard
from tests.support.postgres import empty_database, running, team_database
from tests.support.project import PATIENCE, RALPH, Project

from ralph import config
from ralph.domain.event import Waited
from ralph.ledger import sync as syncing
from ralph.ledger.postgres_setup import set_up
from ralph.ledger.sqlite import SqliteLedger
from ralph.ui.cli import sync as command
from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgres import Database


@pytest.fixture(scope="module")
def database(pg_url: str) -> Iterator[Database]:
    with team_database(pg_url) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "one")


def clone(project: Project, folder: Path) -> Project:
    """The same repository on another machine."""
    other = Project(folder)
    shutil.rmtree(other.root)
    project.git("clone", "-q", str(project.root), str(other.root))
    return other


def test_a_team_from_nothing_to_seeing_each_other(
    pg_url: str, project: Project, tmp_path: Path
) -> None:
    with empty_database(pg_url) as owner:
        role = owner.partition("dbname=")[2].split()[0] + "_app"
        made = project.ralph("sync", "--setup", owner, "--role", role)
        assert made.code == 0, made.err
        url = made.out.partition("RALPH_DATABASE_URL=")[2].strip()
        other = clone(project, tmp_path / "two")
        with_url = {"RALPH_DATABASE_URL": url}
        assert project.run(env=with_url).code == 0

        sent = project.ralph("sync", env=with_url)
        assert (sent.code, sent.err) == (0, "")
        assert ", 0 received, up to date with " in sent.out
        told = other.ralph("sync", "--json", env=with_url).json()
        assert told["sent"] == 0
        assert told["received"] > 5
        again = other.ralph("sync", env=with_url).out
        assert again.startswith("0 events sent, 0 received, up to date")

    # the server is gone by now
    (member,) = other.ralph("sync", "--status", "--json").json()["members"]
    assert member["root"] == project.git("rev-list", "--max-parents=0", "HEAD")
    assert (member["name"], member["runs"], member["settled"]) == ("project", 1, 1)
    assert not member["running"]
    shown = other.ralph("sync", "--status").out
    assert "idle" in shown
    assert member["root"][:10] in shown
    with Dashboard(other) as dashboard:
        dashboard.sign_in()
        _, page = dashboard.get("/")
    assert "team at " in page
    assert ">idle<" in page
    away = other.ralph("sync", env=with_url)
    assert away.code == 1
    assert url not in away.err


def test_a_run_can_write_to_the_database_itself(database: Database, project: Project) -> None:
    project.configure({"ledger": {"direct": True, "organisation": "direct"}})
    project.commit("settings")
    with_url = {"RALPH_DATABASE_URL": database.app}

    assert project.run(env=with_url).code == 0
    assert project.ralph("status", "--json", env=with_url).json()["state"] == "completed"
    assert "the chain is intact" in project.ralph("audit", env=with_url).out
    assert not (project.home / "ledger.db").exists()
    hidden = project.ralph("config", env=with_url).out
    assert database.app not in hidden
    assert str(urlsplit(database.app).password) not in hidden


def test_without_a_database_it_says_what_to_set(project: Project) -> None:
    done = project.ralph("sync")
    assert done.code == 1
    assert "RALPH_DATABASE_URL" in done.err
    assert "Run `ralph sync`" in project.ralph("sync", "--status").out
    assert project.ralph("sync", "--status", "--watch").code == 2
    assert project.ralph("sync", "--role", "x").code == 2


def test_a_long_transfer_says_how_far_it_is(
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "TELL_EVERY", -1)
    monkeypatch.setattr(syncing, "BATCH", 1000)
    monkeypatch.setenv("RALPH_DATABASE_URL", database.app)
    monkeypatch.setenv("RALPH_LEDGER__ORGANISATION", "long")
    monkeypatch.chdir(tmp_path)
    with closing(SqliteLedger(config.home(os.environ) / "ledger.db")) as ledger:
        ledger.append("p", "r", [Waited(1, "")] * 1204, 1)

    assert enter(["sync"]) == 0

    told = capsys.readouterr()
    assert told.out.startswith("1,204 events sent, 0 received, up to date with ")
    assert told.err.splitlines()[:2] == [
        "… 1,000 events sent, 0 received",
        "… 1,204 events sent, 0 received",
    ]


def watching(project: Project, url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (str(RALPH), "sync", "--watch", "--every", "0.2", "--json"),
        cwd=project.folder,
        env={**project.env, "RALPH_DATABASE_URL": url, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_watching_ends_when_it_is_told(
    database: Database, project: Project, how: signal.Signals, code: int
) -> None:
    process = watching(project, database.app)
    assert process.stdout is not None
    assert '"sent": 0' in process.stdout.readline()
    process.send_signal(how)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert "Traceback" not in err


def test_watching_outlives_the_server(project: Project) -> None:
    with running() as server:
        url = set_up(server.url).url
        process = watching(project, url)
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        server.stop()
        assert "Trying again until it answers" in process.stderr.readline()
        server.start()
        assert '"sent": 0' in process.stdout.readline(), "it says that it is back"
        process.terminate()
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
