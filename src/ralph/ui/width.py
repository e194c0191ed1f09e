"""How much room text takes on a terminal, and how it is made to fit."""

from __future__ import annotations

import re

_HANGING = re.compile(r" *(?:[^\w\s`'\"(\[<]{1,2} +)?")
"""What the following lines of a wrapped one leave free: its indent and its sign."""
LEAST = 20
"""Columns of text: where there are fewer, wrapping helps nobody."""


def width(text: str) -> int:
    """In columns: some characters take two, and some none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def cut(text: str, columns: int) -> str:
    """As much of a line as fits."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for char in text:
        used += _columns(char)
        if used >= columns:
            break
        kept += char
    return f"{kept.rstrip()}…" if columns > 0 else ""


def wrapped(text: str, columns: int, stamp: int = 0) -> str:
    """A line broken between words, the following ones below its text; `stamp` columns are taken.

    A word that is longer than a line stays whole: it may be a path, and somebody wants to copy it.
    """
    start = _HANGING.match(text)
    hanging = stamp + (width(start[0]) if start else 0)
    if stamp + width(text) <= columns or columns - hanging < LEAST:
        return text
    head, rest = (text[: start.end()], text[start.end() :]) if start else ("", text)
    lines, used = [head], hanging
    for number, word in enumerate(rest.split(" ")):
        needs = width(word)
        if number and used + 1 + needs > columns:
            lines.append(" " * hanging)
            used = hanging
        elif number:
            lines[-1] += " "
            used += 1
        lines[-1] += word
        used += needs
    return "\n".join(lines)
