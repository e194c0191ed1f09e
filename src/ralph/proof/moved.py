"""Tests that only follow source to its new place: nothing but what they import has changed."""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ralph.proof.languages import shape_of

if TYPE_CHECKING:
    from collections.abc import Collection


def only_follows(path: str, before: str, after: str, moves: Collection[tuple[str, str]]) -> bool:
    """Whether all that differs is the name of a moved file, wherever it is named."""
    old, new = shape_of(path, before), shape_of(path, after)
    if old is None or new is None:
        return False
    pairs = zip_longest(old.walk(), new.walk())
    differing = [(a, b) for a, b in pairs if not (a and b) or (a.kind, a.text) != (b.kind, b.text)]
    return bool(differing) and all(
        a is not None and b is not None and a.kind == b.kind and _follows(a.text, b.text, moves)
        for a, b in differing
    )


def _follows(was: str, now: str, moves: Collection[tuple[str, str]]) -> bool:
    old, new = (re.sub(r"[./\\]+", "/", text) for text in (was, now))
    return any(_part(here) in old and _part(there) in new for here, there in moves)


def _part(path: str) -> str:
    """What an import has of a path: its name, with its folder if it has one."""
    place = PurePosixPath(path).with_suffix("")
    parts = place.parent.parts if place.name in ("index", "__init__") else place.parts
    return "/".join(parts[-2:])
