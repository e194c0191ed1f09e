"""In which file a test stands, where its runner tells only its title."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.policy.paths import is_test

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 500
LARGEST = 1 << 20
_ENDINGS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx")
_APART = frozenset(("node_modules", ".git", ".venv", "dist", "build", "coverage"))
_TITLE = re.compile(
    r"\b(?:test|it|t\.test|describe|tape)(?:\.\w+)*\s*\(\s*(?:'((?:[^'\\\n]|\\.)*)'"
    r'|"((?:[^"\\\n]|\\.)*)"|`([^`$\n]*)`)'
)


class Places:
    """The files of tests below a folder, by the titles that are written in them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, title: str) -> str:
        """The only file that holds a test of this title; nothing if there are several, or none."""
        found = self._titles.get(title, set())
        return next(iter(found)) if len(found) == 1 else ""

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        titles: dict[str, set[str]] = {}
        for path in self._files():
            try:
                text = Path(self._folder, path).read_text("utf-8", "replace")[:LARGEST]
            except OSError:
                continue
            for match in _TITLE.finditer(text):
                title = match[1] or match[2] or match[3] or ""
                titles.setdefault(title.replace("\\'", "'").replace('\\"', '"'), set()).add(path)
        return titles

    def _files(self) -> Iterator[str]:
        count = 0
        for place, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if name not in _APART]
            inside = os.path.relpath(place, self._folder)
            for name in names:
                path = name if inside == "." else f"{inside}/{name}"
                if name.endswith(_ENDINGS) and is_test(path):
                    count += 1
                    if count > MOST:
                        return
                    yield path
