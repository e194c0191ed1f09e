"""Charts: what is left to do, what was spent, how well it is proven."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.domain.event import Settled
from ralph.ui import money
from ralph.ui.web import charts
from ralph.ui.web.pages.run import counts_of
from ralph.ui.web.pages.shell import document
from ralph.ui.web.parts import nothing, section
from ralph.ui.web.tree import el
from ralph.views import economics, proven

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.budget import TokenRecord
    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element

NEWEST = 3000
"""Events that charts are made of."""
TASKS = 15


def page(desk: ReadingDesk, asked: dict[str, str]) -> str:  # noqa: ARG001 - like all pages
    spent = economics.records(desk.journal.newest(economics.KINDS, NEWEST))
    return document(
        "Figures",
        section("Tasks left", _left(desk), name="left"),
        section("How well it is proven", _levels(desk), name="levels"),
        section("Spending", *_spending(spent), name="spending"),
        section("Budgets and forecast", *_budgets(desk), name="budgets"),
        clean=desk.clean,
        desk=desk,
        page="figures",
    )


def _left(desk: ReadingDesk) -> Element:
    counts = counts_of(desk)
    done = {row["id"]: row["commit"] for row in desk.rows() if row["status"] == "done"}
    landed = [
        one.at
        for one in desk.journal.newest(("Settled",), NEWEST)
        if isinstance(one.event, Settled) and done.get(one.event.task) == one.event.commit
    ]
    if not counts["total"] or not landed:
        return nothing("No task of this plan has been finished by Ralph yet.")
    left = counts["total"] - counts["skipped"] - counts["done"] + len(landed)
    began = min(landed[0], desk.state.run.started_at or landed[0])
    points = [(began, float(left))]
    points += [(at, float(left - number)) for number, at in enumerate(landed, 1)]
    now = time.time() if desk.holder else max(landed[-1], desk.state.run.ended_at)
    points.append((now, points[-1][1]))
    about = f"{left:g} tasks at first, {points[-1][1]:g} now."
    return charts.curve("burn", "Tasks left over time", points, _whole, _clock, about)


def _spending(spent: list[TokenRecord]) -> Iterator[Element]:
    points, total = [], 0.0
    for one in spent:
        total += one.usage.cost_usd or 0.0
        points.append((one.at, total))
    if not total:
        yield nothing("No agent has said what it cost.")
        return
    points.insert(0, (points[0][0], 0.0))
    about = f"{money.dollars(total)} by {len(spent)} agent processes."
    yield charts.curve("spent", "Spending over time", points, money.dollars, _clock, about)
    rows = economics.group(spent, economics.By.TASK)[:TASKS]
    values = [(row.key, row.usage.cost_usd or 0.0) for row in rows]
    about = f"The {len(values)} dearest tasks."
    yield charts.bars("tasks", "Spending by task", values, money.dollars, about)


def _budgets(desk: ReadingDesk) -> list[Element]:
    service = desk.economics()
    if service is None:
        return [nothing("They are in the repository's settings, which are not there.")]
    _, lines = money.summed_up(service, desk.state, desk.plan())
    if not lines:
        return [nothing("No budget is near its end. `ralph cost` shows all of them.")]
    return [el("ul", *(el("li", line) for line in lines))]


def _levels(desk: ReadingDesk) -> Element:
    done = [row for row in desk.rows() if row["status"] == "done" and row["commit"]]
    if not done:
        return nothing("No task of this plan has been finished by Ralph yet.")
    counted = proven.counted(
        proven.kind(row["level"], row["unproven"], row["accepted_by"]) for row in done
    )
    values = [(name, float(number)) for name, number in counted.items()]
    about = f"{len(done)} finished tasks by what proves them."
    return charts.bars("proven", "Finished tasks", values, _whole, about)


def _whole(value: float) -> str:
    return f"{value:g}"


def _clock(at: float) -> str:
    return time.strftime("%d %b %H:%M", time.localtime(at))
