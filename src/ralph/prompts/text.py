"""How text is cut and shown: whatever is cut says so, and the note counts towards the limit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MARK = " … (cut)"


def head(text: str, limit: int, mark: str = MARK) -> str:
    """The beginning of `text` in at most `limit` characters."""
    if len(text) <= limit:
        return text
    room = limit - len(mark)
    return text[:room].rstrip() + mark if room > 0 else text[: max(limit, 0)]


def tail(text: str, limit: int, mark: str = "(the beginning is cut) … ") -> str:
    """The end of `text` in at most `limit` characters."""
    if len(text) <= limit:
        return text
    room = limit - len(mark)
    return mark + text[-room:].lstrip() if room > 0 else text[len(text) - max(limit, 0) :]


def one_line(text: str, limit: int) -> str:
    return head(" ".join(text.split()), limit)


def last_lines(text: str, count: int, width: int) -> str:
    """The last `count` lines, each at most `width` wide, and a line that says what is missing."""
    rows = text.strip("\r\n").splitlines()
    missing = max(len(rows) - max(count, 0), 0)
    kept = [head(row.rstrip(), width) for row in rows[missing:]]
    return "\n".join([f"({missing} earlier lines cut)", *kept] if missing else kept)


def rows(items: Sequence[str], count: int, width: int) -> str:
    """One item per line, at most `count` of them, and a line that says how many more there are."""
    shown = [one_line(item, width) for item in items[: max(count, 0)]]
    more = len(items) - len(shown)
    return "\n".join([*shown, f"(and {more} more)"] if more else shown)


def newest(lines: Sequence[str], room: int, left_out: str) -> list[str]:
    """The last lines that fit, after one that says so if some did not."""
    if sum(len(line) + 1 for line in lines) <= room:
        return list(lines)
    room -= len(left_out) + 1
    first = len(lines)
    while first and len(lines[first - 1]) + 1 <= room:
        first -= 1
        room -= len(lines[first]) + 1
    return [left_out, *lines[first:]] if room >= 0 else []


def bullets(items: Sequence[str], *, numbered: bool = False) -> str:
    """A Markdown list; later lines of an item are indented so that they stay inside it."""
    lines = []
    for number, item in enumerate(items, 1):
        sign = f"{number}. " if numbered else "- "
        lines.append(sign + item.strip().replace("\n", "\n" + " " * len(sign)))
    return "\n".join(lines)


def fence(text: str) -> str:
    """A code block that the text cannot close by itself; nothing for no text."""
    body = text.strip("\r\n")
    if not body.strip():
        return ""
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    bar = "`" * max(3, longest + 1)
    return f"{bar}\n{body}\n{bar}"
