"""The full screen without a terminal: Textual's own pilot presses its keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.support.project import BLOCK, FINISH, PATIENCE, Project

from ralph.ui import wire
from ralph.ui.watch.app import FullScreen
from ralph.ui.watch.panes import LinesPane, RowsPane
from ralph.ui.watch.shown import MOST_LINES, StyledLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from textual.pilot import Pilot

TITLE = "Write [bold]it[/bold] [@click=app.quit]here[/]"
STORIES = [{"id": f"US-00{n}", "title": TITLE, "passes": False} for n in (1, 2)]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """US-001 is done, US-002 waits for a person; no loop is at work."""
    agent = f"if [ $n = 2 ]; then\n{BLOCK}exit 0\nfi\n{FINISH}"
    project = Project(tmp_path_factory.mktemp("watch"), STORIES, agent=agent)
    assert project.run("--on-escalation", "park").code == 5
    return project


@pytest.fixture
def watched(ran: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(ran.root)
    for name, value in {**ran.env, "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    return ran


def driven(
    script: Callable[[FullScreen, Pilot[None]], Awaitable[None]], columns: int = 120
) -> FullScreen:
    async def play() -> FullScreen:
        app = FullScreen(wire.project(to_write=False), "somebody")
        async with app.run_test(size=(columns, 40)) as pilot:
            await until(pilot, lambda: app.chosen != "")
            await script(app, pilot)
        return app

    return asyncio.run(play())


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await pilot.pause(0.02)


def said(app: FullScreen) -> str:
    return "\n".join(one.message for one in app._notifications)


async def write(pilot: Pilot[None], text: str) -> None:
    await pilot.press(*("space" if char == " " else char for char in text), "enter")


def test_text_of_plans_and_agents_is_no_markup(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        rows = app.query_one("#tasks", RowsPane)
        assert TITLE in str(rows.get_option_at_index(0).prompt)
        await pilot.press("3")
        task = app.query_one("#task", LinesPane)
        await until(pilot, lambda: any(TITLE in line.text for line in task.lines))

    driven(script)


def test_stop_asks_first_and_says_that_no_loop_is_at_work(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        await pilot.press("s", "3")
        await pilot.press("s", "escape")
        assert said(app) == ""
        await pilot.press("s", "enter")
        await until(pilot, lambda: "Start or continue one with `ralph run`." in said(app))
        await pilot.press("n")
        await write(pilot, "Use v2")
        await until(pilot, lambda: "No agent is at work on" in said(app))

    driven(script)
    assert watched.events("StopRequested", "NudgeRequested") == []


def test_a_task_is_retried_with_words(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        await pilot.press("t", "2")
        await write(pilot, "Use v2")
        await until(pilot, lambda: "US-001 will be tried again" in said(app))
        await pilot.press("x", "2")
        await pilot.press("t", "3")

    driven(script)
    [retried] = watched.events("TaskRetried")
    assert (retried["feedback"], retried["by"], retried["fresh"]) == ("Use v2", "somebody", True)
    assert watched.events("TaskSkipped") == []


def test_a_question_is_answered_in_your_own_words(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        await pilot.press("4", "enter", "6")  # to abort has to be meant
        await pilot.press("2")
        await pilot.press("a", "3")
        await pilot.press("enter")  # nothing is no answer
        await write(pilot, "Ask again")
        await until(pilot, lambda: "Answered Q1." in said(app))
        await until(pilot, lambda: app.query_one("#questions", RowsPane).chosen == "")
        await pilot.press("a")
        await until(pilot, lambda: "No questions are waiting." in said(app))

    driven(script)
    [answered] = watched.events("Answered")
    assert (answered["reply"]["choice"], answered["reply"]["text"]) == ("guidance", "Ask again")


def test_what_is_shown_is_bounded_and_stays_where_it_is_read(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        events = app.query_one("#events", LinesPane)
        events.add([StyledLine(f"line {number}") for number in range(2 * MOST_LINES)])
        await until(pilot, lambda: "line 3999" in events.lines[-1].text)
        assert len(events.lines) == MOST_LINES
        assert events.is_vertical_scroll_end
        for _ in range(3):  # what was put off while it began may still come
            events.scroll_to(y=5, animate=False, immediate=True)
            await pilot.pause(0.2)
        events.add([StyledLine("one more")])
        await pilot.pause(0.1)
        assert events.scroll_y == 5

    driven(script)


def test_events_that_came_while_they_were_hidden_are_in_view(watched: Project) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        events = app.query_one("#events", LinesPane)
        for number in (1, 2):
            await pilot.press("1")
            events.add([StyledLine(f"{number} line")] * 100)
            await pilot.press("2")
            await until(pilot, lambda: events.scroll_y == events.virtual_size.height - 36)

    driven(script, columns=40)


def test_a_bug_is_told_by_who_called_it(watched: Project) -> None:
    apps: list[FullScreen] = []

    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        apps.append(app)
        app.call_later(lambda: 1 / 0)
        await until(pilot, lambda: app.fault is not None)

    with pytest.raises(ZeroDivisionError):
        driven(script)
    assert isinstance(apps[0].fault, ZeroDivisionError)
    assert apps[0]._exit_renderables == []


def test_a_ledger_that_cannot_be_read_is_tried_again(
    watched: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def script(app: FullScreen, pilot: Pilot[None]) -> None:
        ledger = watched.home / "ledger.db"
        ledger.rename(tmp_path / "away")
        (ledger).mkdir()
        app.read_task("US-001")
        await until(pilot, lambda: "ledger.db" in said(app))
        ledger.rmdir()
        (tmp_path / "away").rename(ledger)

    driven(script)
