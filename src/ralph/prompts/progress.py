"""progress.md, rendered from what the ledger knows."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.prompts.additions import PATTERN_CHARS, PATTERNS
from ralph.prompts.text import head, newest, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLE = "# Progress: "
TITLE_CHARS = 200
ENTRY_CHARS = 4_000
FILES = 20

_OLDER_PATTERNS = "- (older ones are left out)"
_LEFT_OUT = "(Older entries are left out; `ralph logs` has them all.)"
_HOW = (
    "Agents: append an entry at the end with what you changed, which files and what you learned.\n"
    "What is true of the code base in general goes under Codebase Patterns, as a bullet."
)


class Header(Struct, frozen=True):
    feature: str
    started: str
    parent: str = ""
    """The id of the task whose descendants are worked on, if there is one."""


class ProgressEntry(Struct, frozen=True):
    """One iteration, as the ledger has it."""

    iteration: int
    task: str
    title: str
    outcome: str
    at: str = ""
    why: str = ""
    commit: str = ""
    files: tuple[str, ...] = ()
    notes: str = ""
    """What the agent added to the file."""


def render(
    header: Header, patterns: Sequence[str], entries: Sequence[ProgressEntry], cap: int
) -> str:
    """The file in at most `cap` characters; the oldest entries are the first to go."""
    top = (
        f"{_header(header)}\n\n## {PATTERNS}\n\n{_patterns(patterns, cap // 3)}\n\n## Iterations\n"
    )
    room = cap - len(top) - len(_LEFT_OUT) - 2
    kept: list[str] = []
    for entry in reversed(entries):
        text = _entry(entry, ENTRY_CHARS if kept else min(ENTRY_CHARS, room - 1))
        if len(text) + 1 > room:
            break
        kept.append(text)
        room -= len(text) + 1
    missing = len(kept) < len(entries)
    parts = [top, f"{_LEFT_OUT}\n" if missing else "", *reversed(kept)]
    return head("\n".join(part for part in parts if part), cap)


def feature_of(text: str) -> str | None:
    """The feature a progress file is about, or None if Ralph did not write it."""
    first = text.split("\n", 1)[0]
    return first[len(TITLE) :].strip() if first.startswith(TITLE) else None


def same_feature(text: str, feature: str) -> bool:
    return feature_of(text) == one_line(feature, TITLE_CHARS)


def _header(header: Header) -> str:
    parent = f" · parent task {one_line(header.parent, 100)}" if header.parent else ""
    title = one_line(header.feature, TITLE_CHARS)
    return f"{TITLE}{title}\n\nStarted {one_line(header.started, 40)}{parent}\n\n{_HOW}"


def _patterns(patterns: Sequence[str], room: int) -> str:
    lines = [f"- {one_line(pattern, PATTERN_CHARS)}" for pattern in patterns]
    return "\n".join(newest(lines, room, _OLDER_PATTERNS)) or "None yet."


@lru_cache(maxsize=512)
def _entry(entry: ProgressEntry, limit: int) -> str:
    title = one_line(f"{entry.task} {entry.title}", TITLE_CHARS)
    lines = [f"### Iteration {entry.iteration}: {title}", ""]
    commit = f", commit {entry.commit[:12]}" if entry.commit else ""
    at = f"{entry.at} · " if entry.at else ""
    lines.append(
        f"{at}{entry.outcome}{commit}{': ' if entry.why else ''}{one_line(entry.why, 300)}"
    )
    if entry.files:
        lines.append(f"Files: {_files(entry.files)}")
    if entry.notes.strip():
        lines += ["", _below_entry(entry.notes.strip())]
    return head("\n".join(lines), max(limit - 1, 0)) + "\n"


def _files(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - FILES} more" if len(files) > FILES else ""
    return ", ".join(one_line(path, 200) for path in files[:FILES]) + more


def _below_entry(notes: str) -> str:
    """Headings of an agent's notes, made smaller so that they stay inside their entry."""
    return re.sub(r"(?m)^#{1,3}(?=\s)", "####", notes)
