"""How the dashboard reads: what it knows of repositories, and how news reaches pages."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sys
from contextlib import closing
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import FINISH, Project, story
from tests.support.repository import begin

import ralph.ui.web
from ralph import masking
from ralph.domain.event import StopRequested
from ralph.domain.settings import HealthSettings
from ralph.ledger.sqlite import SqliteLedger
from ralph.ui.cli.main import enter
from ralph.ui.web import desk as desks
from ralph.ui.web import files
from ralph.ui.web.access import Access
from ralph.ui.web.app import STATIC, Dashboard, graph_page, home_page, run_page
from ralph.ui.web.house import House
from ralph.ui.web.pages import figures, graph, health, history, home, logs, run, task
from ralph.ui.web.stream import Hub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.stream import Key
    from ralph.ui.web.tree import Element

KNOWN = "kX9-pq4-Wz71-battery8"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Project:
    stories = [story("US-001"), story("US-002", depends_on=["US-001"])]
    project = Project(tmp_path_factory.mktemp("served"), stories, agent=FINISH)
    project.write(".env", f"API_PASSWORD={KNOWN}\n")
    project.write(".gitignore", ".env\n.ralph/*\n")
    project.commit("Keep the environment out")
    assert project.run("--max-iterations", "1").code == 4
    return project


@pytest.fixture
def house(finished: Project) -> Iterator[House]:
    """Asked by this thread: what it opens is closed here."""
    one = House(finished.home)
    yield one
    one.ledger.close()
    one.close()


def the_only(house: House) -> ReadingDesk:
    [desk] = house.desks()
    return desk


def test_every_page_of_a_repository(house: House) -> None:
    desk = the_only(house)
    assert "1/2 complete (1 remaining)" in run_page(desk, {})
    assert "/task?id=US-002" in graph_page(desk, {})
    assert "2 tasks at first, 1 now." in figures.page(desk, {})
    assert "The last agent" in health.page(desk, {})
    assert "IterationEnded" in history.page(desk, {})
    assert "RunStarted" not in history.page(desk, {"before": "1"})
    assert "iteration-1.txt" in logs.page(desk, {"iteration": "1"})
    assert "complete</code>" in logs.page(desk, {"q": "US-001 COMPLETE"})
    done = task.page(desk, {"id": "US-001"})
    assert "out/US-001.txt exists" in done
    assert '<span class="plus">+work on US-001, call 1' in done
    assert "iteration-1-check-1.log" in done
    assert "Nobody has worked on it yet." in task.page(desk, {"id": "US-002"})
    assert "No such task" in task.page(desk, {"id": "US-009"})
    assert desk.name in home_page(house)


def test_each_repository_is_masked_by_its_own_secrets(house: House, finished: Project) -> None:
    """The one masker of the process, which knows one repository, stays out of it."""
    before = masking.current()
    desk = the_only(house)
    assert KNOWN not in desk.clean(f"say {KNOWN} twice: {KNOWN}")
    assert masking.current() is before
    assert KNOWN in desks.BY_LOOKS(f"say {KNOWN}")
    finished.write(".env.local", "OTHER_PASSWORD=vB7-mn2-Qr45-staple3\n")
    house.look(around=True)
    assert "staple3" not in desk.clean("say vB7-mn2-Qr45-staple3")


def test_a_plan_that_a_person_edits_is_seen(
    house: House, finished: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = the_only(house)
    before, version = finished.read("PRD.json"), desk.version
    finished.write("PRD.json", before.replace("Write the file of US-001", "Another title"))
    try:
        monkeypatch.setattr(desks, "AGAIN_SECONDS", 0)
        house.look(around=True)
        assert "Another title" in run_page(desk, {})
        assert desk.version > version
    finally:
        finished.write("PRD.json", before)


def test_a_repository_that_is_gone_has_its_history_and_no_controls(
    finished: Project, tmp_path: Path
) -> None:
    house = House(shutil.copytree(finished.home, tmp_path / "home"))
    elsewhere = tmp_path / "elsewhere"
    with closing(house.ledger):
        finished.root.rename(elsewhere)
        try:
            desk = the_only(house)
            shown = run_page(desk, {})
            assert "There are no controls: its repository is gone, or was moved." in shown
            assert "<button" not in shown
            assert "US-001 is done" in shown
            assert "IterationEnded" in history.page(desk, {})
            assert "Try it again" not in task.page(desk, {"id": "US-001"})
        finally:
            elsewhere.rename(finished.root)


def test_a_repository_made_anew_at_the_same_path_is_another_one(
    finished: Project, tmp_path: Path
) -> None:
    elsewhere, house = tmp_path / "elsewhere", House(finished.home)
    with closing(house.ledger):
        finished.root.rename(elsewhere)
        try:
            finished.root.mkdir()
            begin(finished.root)
            assert the_only(house).found is None
        finally:
            shutil.rmtree(finished.root)
            elsewhere.rename(finished.root)


def test_settings_that_cannot_be_read_are_named(house: House, finished: Project) -> None:
    desk = the_only(house)
    finished.write("ralph.yaml", "loop: {max_iteration: 3}\n")
    try:
        house.look(around=True)
        assert "There are no controls: " in run_page(desk, {})
        assert "max_iteration" in run_page(desk, {})
        health.page(desk, {})
    finally:
        (finished.root / "ralph.yaml").unlink()
        house.look(around=True)
    assert desk.found is not None
    assert desk.found.settings.health == HealthSettings()


def test_what_others_write_is_seen_once(house: House) -> None:
    desk = the_only(house)
    house.look(around=False)
    version, lines, drawn = desk.version, len(desk.feed), graph.version(desk)
    with closing(SqliteLedger(house.home / "ledger.db")) as other:
        other.append(desk.project, "run", [StopRequested("Ada")], 1.0)
    house.look(around=False)
    house.look(around=False)
    assert desk.version == version + 1
    assert graph.version(desk) == drawn  # the plan is as it was
    assert [one.text.strip() for one in desk.feed][lines:] == ["■ stop requested by Ada"]


def test_history_goes_back_page_by_page(house: House, finished: Project) -> None:
    desk = the_only(house)
    every = [one.seq for one in desk.ledger.newest_of(desk.project, 10_000)]
    assert every == sorted((one.seq for one in desk.ledger.read(desk.project)), reverse=True)
    assert [one.seq for one in desk.ledger.newest_of(desk.project, 2, every[2])] == every[3:5]
    assert list(desk.ledger.newest_of("nobody", 5)) == []


def test_only_the_end_of_a_huge_log_is_read(tmp_path: Path) -> None:
    (tmp_path / "iteration-1.txt").write_bytes(b"x" * files.MOST_BYTES + b"\nthe end\n")
    (tmp_path / "iteration-2.txt").mkdir()
    (tmp_path / "other.txt").write_text("the end")
    [log] = files.of_iteration(tmp_path, 1)
    assert len(log.text) == files.MOST_BYTES
    assert log.left_out == 9
    assert files.of_iteration(tmp_path, 2) == []
    hits, whole = files.search(tmp_path, "THE END")
    assert ([(one.iteration, one.number) for one in hits], whole) == ([(1, 2)], True)


# News


class Counting:
    """Shows how often it was asked."""

    def __init__(self) -> None:
        self.versions = count()
        self.rendered = 0

    def version(self, house: House, key: Key) -> object:
        return next(self.versions)

    def regions(self, house: House, key: Key) -> dict[str, object]:
        self.rendered += 1
        return {"same": "as ever", "new": self.rendered}


def test_many_pages_cost_one_look_and_a_slow_one_gets_the_newest(
    finished: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ralph.ui.web.stream.LOOK_SECONDS", 0.01)
    shows, house = Counting(), House(finished.home)

    async def scene() -> tuple[list[str], str]:
        hub = Hub(house, shows)
        pages = [hub.watch(("home",)) for _ in range(50)]
        assert [await anext(page) for page in pages] == ["retry: 1000\n\n"] * 50
        first = [await anext(page) for page in pages]
        before = shows.rendered
        while shows.rendered < before + 5:  # noqa: ASYNC110 - the looks of another task
            await asyncio.sleep(0.01)
        late = await anext(pages[0])
        hub.leave()
        for page in pages:
            async for _ in page:
                pass
        assert hub.count == 0
        return first, late

    with closing(house):
        first, late = asyncio.run(scene())
    assert len({one.partition(":")[0] for one in first}) == 1
    told = json.loads(late.removeprefix("data: "))
    assert told.keys() == {"new"}  # the other region is as it was
    assert told["new"] >= 6
    assert shows.rendered < 60


def test_what_is_live_is_made_of_what_the_script_makes(house: House) -> None:
    """It makes elements and attributes of its lists, and no others."""
    script = (STATIC / "ralph.js").read_text(encoding="utf-8")
    desk = the_only(house)
    every = {**run.regions(desk), **graph.regions(desk), **home.regions(house)}
    parts = [part for tree in every.values() for part in _parts(tree)]
    tags = {part.tag for part in parts}
    assert len(tags) > 15
    assert tags <= _listed(script, "TAGS")
    names = {name for part in parts for name, _ in part.attributes}
    others = {name for name in names if not name.startswith(("aria-", "data-"))}
    assert others <= _listed(script, "PLAIN") | {"href", "action", "open"}


def _listed(script: str, name: str) -> set[str]:
    words = script.partition(f"const {name}")[2].partition("split")[0]
    return set("".join(re.findall(r'"([^"]*)"', words)).split())


def _parts(tree: Element) -> Iterator[Element]:
    yield tree
    for child in tree.children:
        if not isinstance(child, str):
            yield from _parts(child)


def test_a_bug_shows_no_internals_and_is_written_down(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[Exception, str]] = []
    access = Access(8420)
    dashboard = Dashboard(house, access, ("localhost",), bug=lambda *one: told.append(one))
    monkeypatch.setattr("ralph.ui.web.app.home_page", _broken)
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    headers = {"host": "localhost:8420", "authorization": f"Bearer {access.token}"}
    scope = {
        "type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }  # fmt: skip

    async def ask() -> None:
        await dashboard.app(scope, receive, send)

    with pytest.raises(ZeroDivisionError):  # for the server's own log
        asyncio.run(ask())
    assert sent[0]["status"] == 500
    assert b"inner" not in b"".join(one.get("body", b"") for one in sent)
    assert [(type(error), where) for error, where in told] == [(ZeroDivisionError, "/")]


def _broken(house: House) -> str:
    raise ZeroDivisionError("inner")


# The command


def test_without_the_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "ralph.ui.web.server", raising=False)
    monkeypatch.delattr(ralph.ui.web, "server", raising=False)
    assert enter(["serve", "--port", "0"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: The dashboard needs the Python package uvicorn.",
        "  Install it, in your clone of Ralph: `pip install '.[web]'`.",
    ]
