"""The plan as a graph with states; a large plan as a list."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ralph.ui.web import graph
from ralph.ui.web.pages.run import proof_of
from ralph.ui.web.parts import SIGNS, TONES, address, link, nothing, section, state, table
from ralph.ui.web.tree import el

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ralph.ui.web.desk import ReadingDesk
    from ralph.ui.web.tree import Element, Inside

MOST_DRAWN = 200
MOST_LISTED = 2000


def version(desk: ReadingDesk) -> object:
    """What an agent says and does changes nothing here."""
    desk.rows()
    opened = desk.state.open_iteration
    return desk.rows_version, desk.holder is not None, opened and opened.task


def regions(desk: ReadingDesk) -> dict[str, Element]:
    plan, rows = desk.plan(), desk.rows()
    if plan is None or not rows:
        none = nothing("There is no plan to show.")
        return {"graph": section("Tasks and what they wait for", none, name="graph")}
    words = {row["id"]: row["status"] for row in rows}
    opened = desk.state.open_iteration if desk.holder else None
    if opened is not None and opened.task in words:
        words[opened.task] = "at work"
    waits = {task.id: task.depends_on for task in plan.leaves()}
    parts = {"legend": _legend(words)}
    if len(rows) <= MOST_DRAWN:
        titles = {row["id"]: row["title"] for row in rows}
        parts["graph"] = _drawn(desk, waits, words, titles)
    parts["list"] = _listed(desk, rows, waits, words)
    return parts


def _legend(words: Mapping[str, str]) -> Element:
    counts = Counter(words.values())
    shown = [el("li", state(word), f" {counts[word]}") for word in SIGNS if counts[word]]
    return section("States", el("ul", *shown, class_="legend"), name="legend")


def _drawn(
    desk: ReadingDesk,
    waits: Mapping[str, Sequence[str]],
    words: Mapping[str, str],
    titles: Mapping[str, str],
) -> Element:
    drawing = graph.draw(waits)
    lines = [el("path", d=one, class_="edge") for one in drawing.lines]
    boxes = [_box(desk, one, words[one.id], titles[one.id]) for one in drawing.boxes]
    svg = el(
        "svg",
        el("title", "The plan", id="plan-t"),
        el("desc", "The same is in the list below.", id="plan-d"),
        *lines,
        *boxes,
        viewBox=f"0 0 {drawing.width} {drawing.height}",
        width=drawing.width,
        height=drawing.height,
        role="group",
        aria_labelledby="plan-t plan-d",
    )
    around = el("div", svg, class_="wide", tabindex="0", role="region", aria_label="The plan")
    return section("Tasks and what they wait for", around, name="graph")


def _box(desk: ReadingDesk, box: graph.Box, word: str, title: str) -> Element:
    tone = TONES.get(word, "plain")
    return el(
        "a",
        el("title", f"{box.id}: {word}. {title}"),
        el("rect", x=box.x, y=box.y, width=graph.WIDE, height=graph.HIGH, rx=8),
        el("text", f"{SIGNS.get(word, '•')} {_cut(box.id, 20)}", x=box.x + 12, y=box.y + 20,
           class_="name"),
        el("text", _cut(title, 26), x=box.x + 12, y=box.y + 38, class_="title"),
        href=address(desk.project, "task", id=box.id),
        class_=f"box {tone}",
    )  # fmt: skip


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _listed(
    desk: ReadingDesk,
    rows: list[dict[str, Any]],
    waits: Mapping[str, Sequence[str]],
    words: Mapping[str, str],
) -> Element:
    body: list[tuple[Inside, ...]] = [
        (
            state(words[row["id"]]),
            link(row["id"], address(desk.project, "task", id=row["id"])),
            row["title"],
            ", ".join(waits.get(row["id"], ())) or "-",
            proof_of(row),
        )
        for row in rows[:MOST_LISTED]
    ]
    head = ("State", "Task", "Title", "Waits for", "Proof or reason")
    note = None
    if len(rows) > MOST_LISTED:
        note = el("p", f"The first {MOST_LISTED:,} of {len(rows):,} tasks.")
    return section("As a list", note, table(head, body, "Tasks"), name="list")
