"""Charts as SVG: pure, with a title and a description, and the figures as a table beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ralph.ui.web.parts import more, table
from ralph.ui.web.tree import el

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ralph.ui.web.tree import Element

    Points: TypeAlias = Sequence[tuple[float, float]]
    """Moments and values, oldest first."""
    Say: TypeAlias = Callable[[float], str]

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 32
BAR = 28
LISTED = 60
"""Rows of the table beside a curve; more are thinned out."""


def curve(name: str, title: str, points: Points, say: Say, say_at: Say, about: str) -> Element:
    """Steps: a value holds until the next one."""
    first, last = points[0][0], points[-1][0]
    most = max(value for _, value in points) or 1.0
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(at: float) -> float:
        return LEFT + wide * ((at - first) / (last - first) if last > first else 1.0)

    def y(value: float) -> float:
        return TOP + high * (1 - value / most)

    path = [f"M{x(first):.1f} {y(points[0][1]):.1f}"]
    for at, value in points[1:]:
        path += [f"H{x(at):.1f}", f"V{y(value):.1f}"]
    line = " ".join(path)
    area = f"{line} V{y(0):.1f} H{x(first):.1f} Z"
    inside = [
        *(_level(y(share * most), say(share * most)) for share in (0.0, 0.5, 1.0)),
        el("path", d=area, class_="area"),
        el("path", d=line, class_="curve"),
        el("text", say_at(first), x=LEFT, y=HEIGHT - 8, class_="mark"),
        el("text", say_at(last), x=WIDTH - RIGHT, y=HEIGHT - 8, class_="mark end"),
    ]
    every = max(1, -(-len(points) // LISTED))
    listed = [*points[::every], *([points[-1]] if (len(points) - 1) % every else [])]
    rows = [(say_at(at), say(value)) for at, value in listed]
    return _figure(name, title, about, inside, HEIGHT, ("At", "Value"), rows)


def bars(
    name: str, title: str, values: Sequence[tuple[str, float]], say: Say, about: str
) -> Element:
    most = max((value for _, value in values), default=0.0) or 1.0
    left = 180
    inside: list[Element] = []
    for number, (label, value) in enumerate(values):
        top = number * BAR
        wide = (WIDTH - left - 90) * value / most
        inside += [
            el("text", _cut(label), x=left - 8, y=top + 19, class_="mark end"),
            el("rect", x=left, y=top + 5, width=f"{max(wide, 1):.1f}", height=BAR - 10, rx=3,
               class_="bar-of"),
            el("text", say(value), x=f"{left + wide + 8:.1f}", y=top + 19, class_="mark"),
        ]  # fmt: skip
    rows = [(label, say(value)) for label, value in values]
    return _figure(name, title, about, inside, BAR * len(values) + 4, ("What", "Value"), rows)


def _figure(
    name: str,
    title: str,
    about: str,
    inside: Sequence[Element],
    height: int,
    head: Sequence[str],
    rows: Sequence[tuple[str, str]],
) -> Element:
    drawing = el(
        "svg",
        el("title", title, id=f"{name}-t"),
        el("desc", about, id=f"{name}-d"),
        *inside,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{name}-t {name}-d",
    )
    return el(
        "figure",
        el("figcaption", el("b", title), f" {about}"),
        drawing,
        more("As a table", table(head, rows, title)),
        class_="chart",
    )


def _level(y: float, text: str) -> Element:
    line = el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=f"{y:.1f}", y2=f"{y:.1f}", class_="grid")
    return el("g", line, el("text", text, x=LEFT - 8, y=f"{y + 4:.1f}", class_="mark end"))


def _cut(text: str, most: int = 24) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
