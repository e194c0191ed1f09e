"""Which files can see a change: those that import it, and those that import them.

The lines that import are enough, no file is read whole. What cannot be told counts as seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from ralph.proof.reach import javascript, python

if TYPE_CHECKING:
    from collections.abc import Collection


class _Modules(Protocol):
    def imported(self, file: str, line: str) -> Iterator[str]: ...


class _Way(Struct, frozen=True):
    """How one language imports."""

    line: str
    hidden: str
    endings: tuple[str, ...]
    modules: Callable[[Iterable[str]], _Modules]
    beside: Callable[[str], Iterator[str]]


_WAYS = tuple(
    _Way(way.LINE, way.HIDDEN, way.ENDINGS, way.Modules, way.beside) for way in (python, javascript)
)
LINES = "|".join(pattern for way in _WAYS for pattern in (way.line, way.hidden))
"""The lines that matter, as git looks for them."""
ENDINGS = tuple(ending for way in _WAYS for ending in way.endings)
"""Files that are understood."""


class Reach:
    """Who imports whom, by the lines that `LINES` finds in these files."""

    def __init__(self, files: Collection[str], lines: Iterable[tuple[str, str]]) -> None:
        self._importers: dict[str, set[str]] = {}
        self._unsure: set[str] = set()
        every = list(lines)
        for way in _WAYS:
            self._read(way, [file for file in files if file.endswith(way.endings)], every)

    def _read(self, way: _Way, files: list[str], lines: Iterable[tuple[str, str]]) -> None:
        modules = way.modules(files)
        for file in files:
            self._imports(file, way.beside(file))
        for file, line in lines:
            if file.endswith(way.endings):
                self._imports(file, modules.imported(file, line))
                if re.search(way.hidden, line):
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
