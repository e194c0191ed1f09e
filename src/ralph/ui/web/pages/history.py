"""All events of a repository, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.event import RunEnded, RunStarted
from ralph.ledger.sqlite import LAST
from ralph.ui.web import feed
from ralph.ui.web.pages.shell import document
from ralph.ui.web.parts import address, link, moment, nothing, section, table
from ralph.ui.web.tree import el
from ralph.views.status import ENDINGS

if TYPE_CHECKING:
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

EVENTS = 100
RUNS = 20


def page(desk: ReadingDesk, asked: dict[str, str]) -> str:
    before = asked.get("before", "")
    start = int(before) if before.isascii() and before.isdecimal() and len(before) < 18 else LAST  # noqa: PLR2004 - SQLite's numbers
    parts = [_runs(desk)] if start == LAST else []
    return document("History", *parts, _events(desk, start), clean=desk.clean, desk=desk,
                    page="history")  # fmt: skip


def _runs(desk: ReadingDesk) -> Element:
    newest = desk.journal.newest(("RunStarted", "RunEnded"), RUNS * 2)
    ended = {one.run: one for one in newest if isinstance(one.event, RunEnded)}
    rows: list[tuple[Inside, ...]] = []
    for one in reversed(newest):
        if isinstance(one.event, RunStarted):
            end = ended.get(one.run)
            event = end.event if end is not None else None
            how = ENDINGS[event.reason] if isinstance(event, RunEnded) else "no end yet"
            rows.append((moment(one.at), one.event.goal, one.event.agent, one.event.branch, how))
    head = ("Began", "Goal", "Agent", "Branch", "Ended")
    inside = table(head, rows, "Runs") if rows else nothing("Nothing has run here yet.")
    return section("Runs", inside, name="runs")


def _events(desk: ReadingDesk, start: int) -> Element:
    found = list(desk.ledger.newest_of(desk.project, EVENTS, start))
    rows: list[tuple[Inside, ...]] = []
    for one in found:
        console, lines = feed.console()
        console(one)
        told = "\n".join(line.text.strip() for line in lines.taken())
        kind = type(one.event).__name__
        rows.append((str(one.seq), moment(one.at), kind, el("span", told or "-", class_="lines")))
    older = None
    if len(found) == EVENTS:
        older = link("Older events", address(desk.project, "history", before=found[-1].seq))
    inside = table(("Event", "At", "Kind", "What it says"), rows, "Events, the newest first")
    return section("Events", inside, el("p", older) if older else None, name="events")
