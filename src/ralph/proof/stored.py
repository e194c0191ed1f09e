"""Files that tests compare with: expected output that was stored."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.proof.languages.expectation import other_text
from ralph.proof.paths import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDER = re.compile(r"(?i)goldens?|expected|expectations|snapshots?|__snapshots__|approved")
_NAME = re.compile(
    r"(?i).*\.(?:golden|expected|approved|snap)(?:\.\w+)?|(?:.*[._-])?(?:expected|golden)[._-].*"
)
_ENDINGS = frozenset(("golden", "expected", "approved", "snap"))
LETTERS = 3
"""Shorter words are everywhere."""
_SIGN = re.compile(r"[A-Za-z0-9]")


def speaks_of_some(text: str) -> bool:
    return bool(re.search(r"golden|expect|snap|approved", text, re.IGNORECASE))


def among(paths: Iterable[str]) -> Iterator[str]:
    """Those that hold what tests expect, by their names."""
    for path in paths:
        *folders, name = path.split("/")
        stored = _NAME.fullmatch(name) or any(_FOLDER.fullmatch(one) for one in folders)
        if stored and is_test(path) and not name.endswith((".py", ".js", ".mjs", ".cjs", ".ts")):
            yield path


def is_named(path: str, text: str) -> bool:
    """Whether a test's text names the file, the folder it lies in, or a telling end."""
    *folders, name = path.split("/")
    stem, _, ending = name.rpartition(".")
    words = [name, stem, *folders[-1:], *([f".{ending}"] if ending in _ENDINGS else [])]
    every = "|".join(re.escape(word) for word in words if len(word) >= LETTERS)
    return bool(re.search(rf"['\"`/](?:{every})|(?:{every})['\"`/]", text))


def other(data: bytes) -> bytes | None:
    """With another letter or digit first, in the middle and last; None for what is no text."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    places = [match.start() for match in _SIGN.finditer(text)]
    if not places:
        return None
    signs = list(text)
    for place in {places[0], places[len(places) // 2], places[-1]}:
        sign = signs[place]
        signs[place] = other_text(sign) if sign.isdigit() else "y" if sign == "x" else "x"
    return "".join(signs).encode()
