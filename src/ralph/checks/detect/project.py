from __future__ import annotations

import itertools
import json
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ralph.domain.task import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 1024 * 1024
MAX_TESTS = 200


class CheckRole(StrEnum):
    TEST = "test"
    LINT = "lint"
    TYPES = "types"


class DetectedCheck(Struct, frozen=True):
    role: CheckRole
    command: Command
    why: str


class ProjectFolder(Struct, frozen=True):
    """A folder looked at from outside: what cannot be read is not there."""

    root: Path

    def has(self, *names: str) -> str:
        """The first of these files or folders that is there, or nothing."""
        return next((name for name in names if self._exists(name)), "")

    def any(self, pattern: str) -> str:
        return next(self.matching(pattern), "")

    def matching(self, pattern: str) -> Iterator[str]:
        try:
            found = sorted(itertools.islice(self.root.glob(pattern), MAX_TESTS))
        except OSError:
            return
        for path in found:
            yield str(path.relative_to(self.root))

    def text(self, name: str) -> str:
        path = self.root / name
        try:
            if not path.is_file():
                return ""
            with path.open("rb") as file:
                return file.read(MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""

    def json(self, name: str) -> dict[str, Any]:
        try:
            value = json.loads(self.text(name))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except (ValueError, RecursionError):
            return {}

    def _exists(self, name: str) -> bool:
        try:
            return (self.root / name).exists()
        except OSError:
            return False


def table(value: dict[str, Any], *path: str) -> dict[str, Any]:
    """The table at `path`, empty if something else stands there."""
    for name in path:
        inner = value.get(name)
        if not isinstance(inner, dict):
            return {}
        value = inner
    return value
