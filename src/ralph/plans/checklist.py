"""The outline of a Markdown file: its checkboxes, and the lines that belong to each."""

from __future__ import annotations

import re

from msgspec import Struct, field

_BOX = re.compile(
    r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<sign>[ xX-])\][ \t]+(?P<text>\S.*)"
)
_POINT = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>\S.*)")
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>.+?)[ \t]*#*")


class Item(Struct):
    """One checkbox line and what is indented below it."""

    text: str
    sign: str
    indent: int
    box: int
    """The offset of the sign between the brackets."""
    end: int
    """The offset of the end of the line."""
    parent: int | None
    points: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)


class Outline(Struct):
    title: str = ""
    items: list[Item] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    """The items that a further indented line can belong to, outermost first."""


def outline(data: bytes) -> Outline:
    found = Outline()
    fence = ""
    comment = False
    offset = 0
    for raw in data.split(b"\n"):
        line = raw.decode("utf-8-sig" if offset == 0 else "utf-8").rstrip("\r")
        inside = bool(fence) or comment
        fence = "" if comment else _fence(line, fence)
        comment = not fence and _in_comment(line, comment)
        if not (inside or fence or comment):
            _add(found, line, raw, offset)
        offset += len(raw) + 1
    return found


def _fence(line: str, open_fence: str) -> str:
    """The fence that is open behind this line; empty if none is."""
    match = _FENCE.fullmatch(line)
    if match is None:
        return open_fence
    if not open_fence:
        return match["fence"]
    closes = match["fence"].startswith(open_fence) and not match["rest"].strip()
    return "" if closes else open_fence


def _in_comment(line: str, before: bool) -> bool:
    opened = line.rfind("<!--")
    closed = line.rfind("-->")
    return before if opened == closed else opened > closed


def _add(found: Outline, line: str, raw: bytes, offset: int) -> None:
    if heading := _HEADING.fullmatch(line):
        found.title = found.title or heading["text"]
        found.open.clear()
    elif box := _BOX.fullmatch(line):
        _add_item(found, box, raw, offset)
    elif line.strip():
        _add_line(found, line)


def _add_item(found: Outline, box: re.Match[str], raw: bytes, offset: int) -> None:
    indent = _width(box["indent"])
    _close(found, indent)
    parent = found.open[-1] if found.open else None
    sign = offset + raw.index(b"[") + 1
    end = offset + len(raw)
    found.open.append(len(found.items))
    found.items.append(Item(box["text"].strip(), box["sign"], indent, sign, end, parent))


def _add_line(found: Outline, line: str) -> None:
    point = _POINT.fullmatch(line)
    _close(found, _width(point["indent"] if point else line[: len(line) - len(line.lstrip())]))
    if not found.open:
        return
    item = found.items[found.open[-1]]
    if point:
        item.points.append(point["text"].strip())
    else:
        item.prose.append(line.strip())


def _close(found: Outline, indent: int) -> None:
    """End the items that a line with this indentation is not inside of."""
    while found.open and found.items[found.open[-1]].indent >= indent:
        found.open.pop()


def _width(space: str) -> int:
    return len(space.expandtabs(4))
