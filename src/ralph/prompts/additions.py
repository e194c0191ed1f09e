"""What an agent added to progress.md, by comparing the lines before and after."""

from __future__ import annotations

import re
from collections import Counter

from msgspec import Struct

from ralph.prompts.text import head, one_line

PATTERNS = "Codebase Patterns"
TEXT_CHARS = 4_000
PATTERN_CHARS = 300
MOST_PATTERNS = 20

_MOST_LINES = 400
"""Added lines that are looked at, so that a flood of them costs little."""
_EDITED = 80
"""Percent of likeness from which a new line is an old one edited."""

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class Additions(Struct, frozen=True):
    text: str = ""
    patterns: tuple[str, ...] = ()


class _Addition(Struct, frozen=True):
    text: str
    in_patterns: bool
    after_gap: bool = False


def additions(before: str, after: str) -> Additions:
    """New bullets under Codebase Patterns, and all other new text; no edits, no deletions."""
    fresh = _without_edits(before, after, _new_lines(before, after))
    patterns: list[str] = []
    text: list[str] = []
    for line in fresh:
        bullet = _BULLET.fullmatch(line.text)
        if line.in_patterns and bullet:
            patterns.append(bullet[1])
        elif line.in_patterns and patterns and line.text[:1].isspace() and not line.after_gap:
            patterns[-1] += f" {line.text.strip()}"
        else:
            text += ["", line.text] if line.after_gap and text else [line.text]
    found = (one_line(pattern, PATTERN_CHARS) for pattern in patterns)
    unique = tuple(dict.fromkeys(pattern for pattern in found if pattern))
    return Additions(head("\n".join(text).strip(), TEXT_CHARS), unique[:MOST_PATTERNS])


def _new_lines(before: str, after: str) -> list[_Addition]:
    """Lines that occur more often than they did; blank ones only count as gaps between these."""
    old = Counter(line.rstrip() for line in before.splitlines())
    new: list[_Addition] = []
    gap = False
    for line in _with_sections(after):
        if not line.text:
            gap = True
            continue
        if old[line.text] > 0:
            old[line.text] -= 1
        elif len(new) < _MOST_LINES:
            new.append(_Addition(line.text, line.in_patterns, after_gap=gap))
        gap = False
    return new


def _with_sections(text: str) -> list[_Addition]:
    """Each line, and whether it is under the heading of the patterns; not that heading itself."""
    lines: list[_Addition] = []
    level = 0
    fenced = False
    for raw in text.splitlines():
        line = raw.rstrip()
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading and heading[2].casefold() == PATTERNS.casefold():
            level = len(heading[1])
            continue
        if heading and len(heading[1]) <= level:
            level = 0
        lines.append(_Addition(line, level > 0))
    return lines


def _without_edits(before: str, after: str, new: list[_Addition]) -> list[_Addition]:
    """Drop lines that are an old line, gone from the file, in slightly other words."""
    still = Counter(line.rstrip() for line in after.splitlines())
    still.subtract(line.rstrip() for line in before.splitlines())
    gone = [line for line, count in still.items() if count < 0 and line]
    if not gone or not new:
        return new
    from rapidfuzz import fuzz, process

    def edited(line: _Addition) -> bool:
        return (
            process.extractOne(line.text, gone, scorer=fuzz.ratio, score_cutoff=_EDITED) is not None
        )

    return [line for line in new if not edited(line)]
