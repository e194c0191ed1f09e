"""A change as people review it: file by file, with context, no more of it than they can read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.errors import GitFailed
from ralph.repo.diff import is_text
from ralph.repo.git import split_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.repo.git import Git

MOST_LINES = 400
"""Added and removed lines of one file that are shown."""
MOST_FILES = 200
"""Of one change, of which text is shown."""
MOST_BYTES = 200_000
"""Of one file on either side: a line may be as long as a whole library."""
_PLAIN = (
    *("--no-ext-diff", "--no-textconv", "--no-renames", "--no-color"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


class FilePatch(Struct, frozen=True):
    path: str
    added: int = 0
    removed: int = 0
    text: str = ""
    """From the first `@@` on."""
    left_out: str = ""
    """Why there is no text."""


def patches(git: Git, old: str, new: str, most_lines: int) -> tuple[FilePatch, ...] | None:
    """What differs between two commits, `most_lines` of it as text. None if one is not there.

    An attribute can call any file binary: what is really text is shown as text.
    """
    told = git.ask("diff", "--numstat", "-z", *_PLAIN, old, new)
    if told.code:
        return None
    rows = list(_rows(told.out))
    blind = [row.path for row in rows if row.left_out]
    hidden = [path for path in blind if is_text(git, old, path) and is_text(git, new, path)]
    if hidden:
        counted = _counted(git, (old, new), hidden)
        rows = [counted.get(row.path, row) for row in rows]
    return tuple(_with_text(git, (old, new), rows, most_lines))


def _counted(git: Git, commits: tuple[str, str], paths: Sequence[str]) -> dict[str, FilePatch]:
    """Files that an attribute calls binary: git counts no lines of these."""
    heavy = _heavy(git, commits, paths)
    texts = _texts(git, commits, [path for path in paths if path not in heavy])
    found = {}
    for path, text in texts.items():
        signs = [line[:1] for line in text.split("\n")]
        found[path] = FilePatch(path, signs.count("+"), signs.count("-"))
    return found


def _rows(out: bytes) -> Iterator[FilePatch]:
    for entry in split_names(out):
        added, removed, path = entry.split("\t", 2)
        if added == "-":
            yield FilePatch(path, left_out="not text")
        else:
            yield FilePatch(path, int(added), int(removed))


def _with_text(
    git: Git, commits: tuple[str, str], rows: Sequence[FilePatch], most_lines: int
) -> Iterator[FilePatch]:
    some = (
        []
        if not most_lines
        else [r for r in rows if not r.left_out and r.added + r.removed <= MOST_LINES][:MOST_FILES]
    )
    heavy = _heavy(git, commits, [row.path for row in some]) if some else frozenset()
    shown, left = [], most_lines
    for row in some:
        lines = row.added + row.removed
        if lines <= left and row.path not in heavy:
            shown.append(row.path)
            left -= lines
    texts = _texts(git, commits, shown)
    for row in rows:
        if row.left_out:
            yield row
        elif row.path in texts:
            yield replace(row, text=texts[row.path])
        else:
            yield replace(row, left_out="too long to show here")


def _heavy(git: Git, commits: tuple[str, str], paths: Sequence[str]) -> frozenset[str]:
    """The files of which one side is very large. Two processes."""
    found = set()
    for commit in commits:
        for entry in git.run("ls-tree", "-r", "-l", "-z", commit, "--", *paths).split(b"\0"):
            about, _, path = entry.partition(b"\t")
            size = about.split()[-1:] or [b"-"]
            if size[0].isdigit() and int(size[0]) > MOST_BYTES:
                found.add(os.fsdecode(path))
    return frozenset(found)


def _texts(git: Git, commits: tuple[str, str], paths: Sequence[str]) -> dict[str, str]:
    if not paths:
        return {}
    # as names and patches are of one diff, they come in one order
    out = git.run("diff", "--text", *_PLAIN, *commits, "--", *paths).decode("utf-8", "replace")
    sections = f"\n{out}".split("\ndiff --git ")[1:]
    if len(sections) != len(paths):
        raise GitFailed(("diff", *commits), 0, "it told of other files the second time")
    return {path: _from_first_hunk(one) for path, one in zip(paths, sections, strict=True)}


def _from_first_hunk(section: str) -> str:
    head, found, rest = section.partition("\n@@ ")
    return f"@@ {rest}" if found else "\n".join(head.split("\n")[1:])
