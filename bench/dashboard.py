"""The dashboard over a ledger of a million events, and what fifty open pages cost a run."""

from __future__ import annotations

import http.client
import json
import selectors
import socket
import subprocess
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, Self

from bench.figures import against_floor, at_most, milliseconds, percentile
from bench.ground import RALPH, ground, name
from ralph.domain.activity import ActivityKind
from ralph.domain.decision import Trigger
from ralph.domain.event import AgentActed, IterationStarted, RunStarted
from ralph.ledger.journal import Journal
from ralph.ledger.sqlite import SqliteLedger
from ralph.repo import Repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure
    from bench.ground import Ground
    from ralph.domain.event import Event

EVENTS = 1_000_000
BATCH = 5000
PAGES = 50
STARTS, UPDATES, ROUNDS, ITERATIONS = 5, 30, 7, 8


def many_events(folder: Path) -> Iterator[Figure]:
    made = ground(folder, tasks=100)
    project = Repo.open(made.root, to_write=False).project
    home = folder / "home"
    home.mkdir()
    with closing(SqliteLedger(home / "ledger.db")) as ledger:
        _fill(made, ledger, project)
        first, again = zip(*(_first(made, project) for _ in range(STARTS)), strict=True)
        yield at_most("dashboard, 10^6 events: first page of a start", median(first), 300)
        yield at_most("dashboard, 10^6 events: a page from then on", median(again), 300)
        late = _late(made, ledger, project)
        yield at_most("dashboard, 10^6 events: update after its event, median", median(late), 200)
        yield at_most("dashboard, 10^6 events: the same, p95", percentile(late, 0.95), 200)


def fifty_pages(folder: Path) -> Iterator[Figure]:
    """A run of short iterations with the pages open, and the same without a dashboard, in turns."""
    alone, watched = [], []
    for number in range(ROUNDS):
        alone.append(_run(folder / f"alone-{number}", pages=0))
        watched.append(_run(folder / f"watched-{number}", pages=PAGES))
    floor, ours = median(alone), median(watched)
    note = f"{ITERATIONS - 1} iterations whose agent and check do nothing"
    yield against_floor(f"a run that {PAGES} open pages watch", floor, ours, 1.05, note=note)


def _run(folder: Path, *, pages: int) -> float:
    made = ground(folder, tasks=ITERATIONS)
    made.run("--max-iterations", "1")  # from here on the dashboard knows it
    if not pages:
        return milliseconds(made.run)
    project = Repo.open(made.root, to_write=False).project
    with _Dashboard(made) as dashboard, ExitStack() as stack:
        streams = [stack.enter_context(dashboard.stream(project)) for _ in range(pages)]
        reading = Thread(target=_read_all, args=(streams,), daemon=True)
        reading.start()
        return milliseconds(made.run)


def _read_all(streams: list[socket.socket]) -> None:
    """As browsers do, until the streams are closed."""
    with selectors.DefaultSelector() as waiting, suppress(OSError, ValueError):
        for one in streams:
            waiting.register(one, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select(0.5):
                if not key.fileobj.recv(1 << 20):  # type: ignore[union-attr]
                    waiting.unregister(key.fileobj)


def _fill(made: Ground, ledger: SqliteLedger, project: str) -> None:
    """As a run writes them: mostly what agents do, and every tenth event moves something."""
    root = str(made.root)
    begun = RunStarted("PRD.json", "Bench", "ralph/bench", "", "command", root, False, 1, "", "")
    ledger.append(project, "run", [begun], time.time())
    for start in range(0, EVENTS, BATCH):
        ledger.append(project, "run", [_event(start + n) for n in range(BATCH)], time.time())
    Journal(ledger, project, "run", time.time).close()


def _event(number: int) -> Event:
    if number % 10 == 0:
        at, task = number // 10 + 1, name(number // 10 % 100 + 1)
        return IterationStarted(at, task, "Write", 1, "", Trigger.PREVIOUS_SUCCESS, "command")
    return AgentActed(number // 10 + 1, ActivityKind.TOOL, f"src/file{number}.py", "Edit")


def _first(made: Ground, project: str) -> tuple[float, float]:
    with _Dashboard(made) as dashboard:
        return dashboard.page(project), dashboard.page(project)


def _late(made: Ground, ledger: SqliteLedger, project: str) -> list[float]:
    found = []
    with _Dashboard(made) as dashboard, dashboard.stream(project) as stream:
        for number in range(UPDATES):
            word = f"look-at-{number}"
            time.sleep(0.05 + 0.013 * (number % 9))  # at any moment between two looks
            began = time.perf_counter()
            event = AgentActed(EVENTS // 10, ActivityKind.TOOL, word, "Edit")
            ledger.append(project, "run", [event], time.time())
            seen = b""
            while word.encode() not in seen:
                seen = seen[-100:] + stream.recv(1 << 20)
            found.append((time.perf_counter() - began) * 1000)
    return found


class _Dashboard:
    def __init__(self, made: Ground) -> None:
        self._process = subprocess.Popen(
            (*RALPH, "serve", "--port", "0", "--json"),
            cwd=made.folder,
            env=made.environment,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline())
        self._host = told["address"].split("/")[2]
        self._bearer = f"Bearer {told['token']}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()

    def page(self, project: str) -> float:
        def ask() -> None:
            with closing(http.client.HTTPConnection(self._host)) as connection:
                connection.request("GET", f"/p/{project}", headers={"Authorization": self._bearer})
                answer = connection.getresponse()
                assert answer.status == 200
                assert b"What happens" in answer.read()

        return milliseconds(ask)

    @contextmanager
    def stream(self, project: str) -> Iterator[socket.socket]:
        """A page that is open and reads whatever comes."""
        host, _, port = self._host.partition(":")
        head = f"GET /live?page=run&project={project} HTTP/1.1\r\nHost: {self._host}\r\n"
        with closing(socket.create_connection((host, int(port)))) as opened:
            opened.sendall(f"{head}Authorization: {self._bearer}\r\n\r\n".encode())
            seen = b""
            while b"data: " not in seen:
                seen += opened.recv(1 << 20)
            yield opened
