"""The folder of one project, and the files that agents and Ralph share in it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import PlanError, UsageError
from ralph.plans.artefacts import FOLDER, TASKS
from ralph.plans.fields import is_task_id

if TYPE_CHECKING:
    from collections.abc import Iterator

SPEC = "spec.md"
STATE = "state.json"
OBSTACLES = "obstacles.json"
RESULTS = "results.md"
DONE = "done.md"
ROUNDS = "interview.json"
IGNORED = (STATE, OBSTACLES, RESULTS, DONE, ROUNDS)
"""What changes all the time: kept out of git unless the user wants it there."""


class Folder(Struct, frozen=True):
    root: Path
    """The repository."""
    name: str

    @classmethod
    def of(cls, root: Path, name: str) -> Folder:
        """A UsageError for a name that is none, or that leads out of `.artefacts`."""
        if not is_task_id(name):
            raise UsageError(
                f"{name[:80]!r} cannot be the name of a project.",
                fix="Use letters, digits, '.', '_' and '-', at most 64, without '..'.",
            )
        found = cls(root, name)
        home = root.resolve() / FOLDER
        if found.path.resolve() != home / name:
            raise UsageError(
                f"{found.key} is a link to somewhere else.", fix="Make it a folder of its own."
            )
        return found

    @property
    def key(self) -> str:
        """Relative to the repository."""
        return f"{FOLDER}/{self.name}"

    @property
    def plan(self) -> str:
        return f"{self.key}/{TASKS}"

    @property
    def path(self) -> Path:
        return self.root / FOLDER / self.name

    def read(self, name: str) -> bytes | None:
        return files.read(self.path / name)

    def text(self, name: str) -> str:
        return (self.read(name) or b"").decode("utf-8-sig", "replace")

    def write(self, name: str, data: bytes | str) -> None:
        files.write(self.path / name, data)

    def remove(self, name: str) -> bool:
        """Whether there was such a file; whatever it is, it is gone then."""
        path = self.path / name
        if not path.exists() and not path.is_symlink():
            return False
        if path.is_dir() and not path.is_symlink():
            import shutil

            shutil.rmtree(path, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError, IsADirectoryError):
            path.unlink()
        return True

    def require(self, name: str, fix: str) -> bytes:
        data = self.read(name)
        if data is None:
            raise PlanError(f"{self.key}/{name} does not exist.", fix=fix)
        return data

    def keep_out_of_git(self) -> None:
        """What changes all the time is not committed; a file that is there is left alone."""
        if self.read(".gitignore") is None:
            self.write(".gitignore", "".join(f"/{name}\n" for name in IGNORED))


class Made(Struct, frozen=True):
    path: str
    what: str


def make(folder: Folder, spec: str) -> Iterator[Made]:
    """What `ralph init NAME` writes; nothing that is there is touched."""
    if folder.read(SPEC) is None:
        folder.write(SPEC, spec)
        yield Made(f"{folder.key}/{SPEC}", "written: describe your project in it")
    else:
        yield Made(f"{folder.key}/{SPEC}", "kept as it is")
    folder.keep_out_of_git()
