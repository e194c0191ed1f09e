"""What a Python file imports, line by line: rather too much than too little."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINE = r"^[[:space:]]*(import|from)[[:space:]]"
HIDDEN = (
    r"importlib|__import__|import_module|importorskip|runpy|subprocess|os\.system|os\.popen|os\.exec"
    r"|os\.spawn|multiprocessing|pytester|testdir|pytest_plugins|exec\(|eval\(|patch\(|setattr\([\"']"
)
"""Signs that more is imported than the lines say."""
ENDINGS = (".py",)
_FROM = re.compile(r"\s*from\s+(\.*)([\w.]*)\s+import\b(.*)")
_IMPORT = re.compile(r"\s*import\s+(.*)")


class PythonModules:
    """The files of a repository by every name that an import may have for them."""

    def __init__(self, files: Iterable[str]) -> None:
        self._named: dict[str, list[str]] = {}
        self._inside: dict[str, list[str]] = {}
        for file in files:
            parts = file.removesuffix(".py").removesuffix("/__init__").split("/")
            for start in range(len(parts)):
                self._named.setdefault(".".join(parts[start:]), []).append(file)
                self._inside.setdefault(".".join(parts[start:-1]), []).append(file)

    def imported(self, file: str, line: str) -> Iterator[str]:
        if found := _FROM.match(line):
            dots, module, names = found.groups()
            yield from self._from(_absolute(file, len(dots), module), names)
        elif found := _IMPORT.match(line):
            for module in re.findall(r"[\w.]+(?=\s*(?:,|$|\bas\b|#|;))", found[1]):
                yield from self._module(module)

    def _from(self, module: str, names: str) -> Iterator[str]:
        yield from self._module(module)
        if re.search(r"[(\\*]", names):  # it goes on elsewhere: whatever is in there
            yield from self._inside.get(module, ())
        for name in re.findall(r"\w+", names):
            yield from self._named.get(f"{module}.{name}" if module else name, ())

    def _module(self, name: str) -> Iterator[str]:
        """The module, and the packages around it, which are loaded first."""
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            yield from self._named.get(".".join(parts[:end]), ())


def _absolute(file: str, dots: int, module: str) -> str:
    if not dots:
        return module
    folders = file.split("/")[:-dots]
    return ".".join([*folders, module] if module else folders)


def beside(file: str) -> Iterator[str]:
    """What is loaded with a file without being named in it."""
    folders = file.split("/")[:-1]
    for end in range(len(folders) + 1):
        around = "".join(f"{folder}/" for folder in folders[:end])
        yield f"{around}conftest.py"
        yield f"{around}__init__.py"
