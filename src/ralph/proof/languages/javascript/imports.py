"""How files of JavaScript and TypeScript name each other."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ralph.proof.languages.language import Imports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCRIPTS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
"""Files that may import each other."""


class Files:
    """The files of a repository by every name that an import may have for them."""

    _NAMED = re.compile(r"(?:from|require\s*\(|import\s*\(?)\s*[\"']([^\"']+)[\"']")

    def __init__(self, files: Iterable[str]) -> None:
        self._named: dict[str, list[str]] = {}
        for file in files:
            for name in _names(file):
                self._named.setdefault(name, []).append(file)

    def imported(self, file: str, line: str) -> Iterator[str]:
        for name in self._NAMED.findall(line):
            if name.startswith("."):
                place = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
                yield from self._named.get(_stem(place), ())
            elif not name.startswith("node:"):
                yield from self._elsewhere(name)

    def _elsewhere(self, name: str) -> Iterator[str]:
        """A package, or a file by another name: `@/lib/dates` ends like its path."""
        tail = _stem(name.partition("/")[2] or name.lstrip("#@~"))
        for known, files in self._named.items():
            if known == tail or known.endswith(f"/{tail}"):
                yield from files


def _names(file: str) -> Iterator[str]:
    yield _stem(file)
    folder, _, name = file.rpartition("/")
    if _stem(name) == "index":
        yield folder or "."


def _stem(path: str) -> str:
    ending = path[path.rfind(".") :]
    return path.removesuffix(ending) if ending in SCRIPTS else path


IMPORTS = Imports(
    line=r"from[[:space:]]*[\"']|require[[:space:]]*\(|import[[:space:]]*[(\"']",
    hidden=(
        r"child_process|createRequire|worker_threads|import\.meta\.resolve|node:vm"
        r"|(require|import) *\( *[^\"' )]"
    ),
    modules=Files,
)
