"""Which files can see a change: those that import it, and those that import them.

The lines that import are enough, no file is read whole. What cannot be told counts as seen.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.proof.languages import LANGUAGES
from ralph.proof.languages.javascript.imports import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ralph.proof.languages.language import Imports

_KINDS: dict[tuple[str, ...], Imports] = {
    SCRIPTS if one.endings[0] in SCRIPTS else one.endings: one.imports
    for one in LANGUAGES
    if one.imports is not None
}
"""How files that may import each other do it."""
ENDINGS = tuple(dict.fromkeys(ending for endings in _KINDS for ending in endings))
"""Files of which it is known who uses them."""
LINES = "|".join(dict.fromkeys(p for one in _KINDS.values() for p in (one.line, one.hidden)))
"""The lines that matter, as git looks for them."""


class Reach:
    """Who imports whom, by the lines that `LINES` finds in these files."""

    def __init__(self, files: Collection[str], lines: Iterable[tuple[str, str]]) -> None:
        self._importers: dict[str, set[str]] = {}
        self._unsure: set[str] = set()
        every = list(lines)
        for endings, imports in _KINDS.items():
            mine = [file for file in files if file.endswith(endings)]
            self._read(imports, mine, [one for one in every if one[0].endswith(endings)])

    def _read(self, imports: Imports, files: list[str], lines: Iterable[tuple[str, str]]) -> None:
        modules = imports.modules(files)
        for file in files:
            self._imports(file, imports.beside(file))
        for file, line in lines:
            self._imports(file, modules.imported(file, line))
            if re.search(imports.hidden, line):
                self._unsure.add(file)

    def _imports(self, file: str, others: Iterable[str]) -> None:
        for other in others:
            self._importers.setdefault(other, set()).add(file)

    def of(self, changed: Iterable[str]) -> set[str]:
        """The files that may see one of these, themselves included."""
        return self._from((*changed, *self._unsure))

    def importers(self, file: str) -> set[str]:
        """The files that name this one themselves."""
        return set(self._importers.get(file, ()))

    def is_seen(self, file: str, by: Iterable[str]) -> bool:
        """Whether it is known how one of these comes to see it."""
        return not self._from((file,)).isdisjoint(by)

    def _from(self, files: Iterable[str]) -> set[str]:
        found: set[str] = set()
        to_do = list(files)
        while to_do:
            file = to_do.pop()
            if file not in found:
                found.add(file)
                to_do.extend(self._importers.get(file, ()))
        return found
