"""In which file a test stands, where its runner tells only its title."""

from __future__ import annotations

import os
import re
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.proof.paths import is_test

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
        """The only file that holds a test of this title; nothing if there are several, or none.

        A title may be where a file is: some runners name what is in one so.
        """
        if title.endswith(_ENDINGS) and is_test(title) and Path(self._folder, title).is_file():
            return title
        found = self._titles.get(title, set())
        return next(iter(found)) if len(found) == 1 else ""

    @cached_property
    def _titles(self) -> dict[str, set[str]]:
        titles: dict[str, set[str]] = {}
        for path in islice(self._files(), MOST):
            for title in self._of_file(path):
                titles.setdefault(title, set()).add(path)
        return titles

    def _of_file(self, path: str) -> Iterator[str]:
        try:
            text = Path(self._folder, path).read_text("utf-8", "replace")[:LARGEST]
        except OSError:
            return
        for match in _TITLE.finditer(text):
            title = match[1] or match[2] or match[3] or ""
            yield title.replace("\\'", "'").replace('\\"', '"')

    def _files(self) -> Iterator[str]:
        for place, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if name not in _APART]
            inside = os.path.relpath(place, self._folder)
            paths = (name if inside == "." else f"{inside}/{name}" for name in names)
            yield from (path for path in paths if path.endswith(_ENDINGS) and is_test(path))
