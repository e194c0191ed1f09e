"""What changed between two trees."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.repo.git import OUTER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.repo.git import Git

GITLINK = "160000"
FOLDER = "040000"
_OPTIONS = (
    "-r",
    "-z",
    "-M",
    "--raw",
    "--no-ext-diff",
    "--no-textconv",
    "--full-index",
)


_AS_TEXT = (
    *("--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0", "--no-color"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
_BINARY = re.compile(
    r"^Binary files (?:/dev/null|a/.*) and (?:b/)?(?!/dev/null)(.*) differ$", re.MULTILINE
)
_LOOKED_AT = 8_000
"""Bytes in which git looks for a zero, to tell what is binary."""

BETWEEN = ("-t", *_OPTIONS)
"""How `diff-tree` is asked for everything that `between` tells."""


class FileChange(Struct, frozen=True):
    path: str
    status: str
    """A added, M modified, D deleted, R renamed, T another kind of file."""
    old: str = ""
    """The path before a rename."""
    mode: str = ""
    old_mode: str = ""
    blob: str = ""


class Changes(Struct, frozen=True):
    files: tuple[FileChange, ...]
    objects: tuple[str, ...]
    """The trees and file contents that only the newer side has."""


def between(git: Git, old: str, new: str) -> Changes:
    """One process."""
    return changes(git.run("diff-tree", *BETWEEN, old, new))


def changes(out: bytes) -> Changes:
    entries = parse(out)
    files = tuple(e for e in entries if FOLDER not in (e.mode, e.old_mode))
    return Changes(files, tuple(e.blob for e in entries if e.mode != GITLINK))


def text(git: Git, old: str, new: str) -> str:
    """What was added and removed, without context. One process; one more where some is not told.

    An attribute can call any file binary: what is really text is shown as text.
    """
    plain = git.set("core.quotePath=false")
    out = plain.run("diff", *_AS_TEXT, old, new).decode("utf-8", "replace")
    blind = [one[1] for one in _BINARY.finditer(out)]
    readable = [path for path in blind if is_text(git, old, path) and is_text(git, new, path)]
    if readable:
        more = plain.run("diff", *_AS_TEXT, "--text", old, new, "--", *readable)
        out += more.decode("utf-8", "replace")
    return out


def shown(git: Git, old: str, new: str = "", most: int = 1 << 20) -> str:
    """For people: with context, and no more bytes than they read; `new` may be the work tree.

    New files that nobody has added are not in it.
    """
    names = (old, new) if new else (old,)
    flags = ("--no-ext-diff", "--no-textconv", "--no-color", OUTER)
    return (
        git.set("core.quotePath=false")
        .run("diff", *flags, *names)[:most]
        .decode("utf-8", "replace")
    )


def is_text(git: Git, commit: str, path: str) -> bool:
    done = git.ask("cat-file", "blob", f"{commit}:{path}")
    return bool(done.code) or b"\0" not in done.out[:_LOOKED_AT]


def staged(git: Git, base: str) -> tuple[FileChange, ...]:
    """The index against a commit. One process."""
    return parse(git.run("diff-index", "--cached", *_OPTIONS, base))


def parse(out: bytes) -> tuple[FileChange, ...]:
    """The output of `--raw -z`."""
    parts = iter(out.split(b"\0"))
    return tuple(_change(part, parts) for part in parts if part)


def _change(part: bytes, rest: Iterator[bytes]) -> FileChange:
    old_mode, mode, _, blob, status = part[1:].decode("ascii").split(" ")
    path, old = os.fsdecode(next(rest)), ""
    if status[0] in "RC":
        path, old = os.fsdecode(next(rest)), path
    return FileChange(path, status[0], old, mode, old_mode, blob)
