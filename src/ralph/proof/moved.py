"""Tests that only follow source to its new place: nothing but what they import has changed."""

from __future__ import annotations

import difflib
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_IMPORT = re.compile(
    r"\s*(?:import|from|export)\b|\s*\}\s*from\b|.*\b(?:require|import)\s*\(|\s*(?:jest|vi)\.mock\("
)


def only_follows(before: str, after: str, moves: Collection[tuple[str, str]]) -> bool:
    """Whether each changed line imports something, from where a moved file was or is now."""
    if not before or not after or not moves:
        return False
    old, new = before.splitlines(), after.splitlines()
    marks = [one for one in difflib.ndiff(old, new) if one[:2] in ("- ", "+ ") and one[2:].strip()]
    gone = [one[2:] for one in marks if one[0] == "-"]
    come = [one[2:] for one in marks if one[0] == "+"]
    return (
        bool(come)
        and len(gone) == len(come)
        and all(_names(line, {was for was, _ in moves}) for line in gone)
        and all(_names(line, {now for _, now in moves}) for line in come)
    )


def _names(line: str, paths: Collection[str]) -> bool:
    if not _IMPORT.match(line):
        return False
    bare = re.sub(r"[./\\]+", "/", line)
    return any(_part(path) in bare for path in paths)


def _part(path: str) -> str:
    """What an import has of a path: its name, with its folder if it has one."""
    place = PurePosixPath(path).with_suffix("")
    parts = place.parent.parts if place.name in ("index", "__init__") else place.parts
    return "/".join(parts[-2:])
