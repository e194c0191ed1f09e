"""The plan as layers: a task stands right of everything it waits for. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WIDE, HIGH = 190, 48
ACROSS, DOWN = 56, 14
EDGE = 8


class Box(Struct, frozen=True):
    id: str
    x: int
    y: int


class Drawing(Struct, frozen=True):
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """Each from a task to one that waits for it, as the `d` of a path."""
    width: int
    height: int


def layers(waits: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each task one layer after the last it waits for. What is unknown or a circle is ignored."""
    depth: dict[str, int] = {}
    for name in waits:
        _measure(name, waits, depth)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in waits:
        found[depth[name]].append(name)
    return [_ordered(layer, found[place - 1] if place else [], waits)
            for place, layer in enumerate(found)]  # fmt: skip


def _measure(start: str, waits: Mapping[str, Sequence[str]], depth: dict[str, int]) -> None:
    """Without recursion: a plan may be one long chain."""
    path = [start]
    entered: set[str] = set()
    while path:
        name = path[-1]
        before = [one for one in waits[name] if one in waits]
        missing = [one for one in before if one not in depth and one not in entered]
        if name in depth or not missing or name in entered:
            depth.setdefault(name, 1 + max((depth.get(one, -1) for one in before), default=-1))
            path.pop()
            continue
        entered.add(name)
        path += missing


def _ordered(
    layer: Iterable[str], before: Sequence[str], waits: Mapping[str, Sequence[str]]
) -> list[str]:
    """Near to what they wait for, so that few lines cross."""
    place = {name: number for number, name in enumerate(before)}

    def middle(name: str) -> float:
        known = [place[one] for one in waits[name] if one in place]
        return sum(known) / len(known) if known else len(place)

    return sorted(layer, key=middle) if before else list(layer)


def draw(waits: Mapping[str, Sequence[str]]) -> Drawing:
    boxes: dict[str, Box] = {}
    columns = layers(waits)
    for column, layer in enumerate(columns):
        for row, name in enumerate(layer):
            boxes[name] = Box(name, EDGE + column * (WIDE + ACROSS), EDGE + row * (HIGH + DOWN))
    lines = [
        _line(boxes[one], boxes[name])
        for name, before in waits.items()
        for one in dict.fromkeys(before)
        if one in boxes and one != name
    ]
    most = max(map(len, columns), default=0)
    return Drawing(
        tuple(boxes.values()),
        tuple(lines),
        EDGE * 2 + len(columns) * (WIDE + ACROSS) - ACROSS,
        EDGE * 2 + most * (HIGH + DOWN) - DOWN,
    )


def _line(one: Box, other: Box) -> str:
    x1, y1, x2, y2 = one.x + WIDE, one.y + HIGH // 2, other.x, other.y + HIGH // 2
    bend = max(ACROSS // 2, (x2 - x1) // 2)
    return f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
