"""`verification.setup`: once per content of the lock files, and again when that changes."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph import files
from ralph.checks.carry import Runner
from ralph.checks.fingerprint import entries, restored
from ralph.domain.answer import Ended
from ralph.domain.errors import CheckError
from ralph.domain.task import Command, shown
from ralph.process import Child

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from ralph.process import Finished

_LOCKS = (
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "Pipfile.lock",
    "requirements*.txt",
    "constraints.txt",
    "pyproject.toml",
    "Cargo.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
)
_DEPTH = 2
_SAID = 200


def is_lock(path: str) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _LOCKS)


def survey(root: Path, folders: Collection[str]) -> tuple[list[str], list[str]]:
    """The lock files and the dependency folders in the upper levels of a checkout."""
    locks: list[str] = []
    found: list[str] = []
    for here, inside, names in os.walk(root):
        place = os.path.relpath(here, root)
        prefix = "" if place == "." else f"{place}/"
        locks += [prefix + name for name in names if is_lock(name)]
        found += [prefix + name for name in inside if name in folders]
        deep = prefix.count("/") >= _DEPTH
        inside[:] = [] if deep else [n for n in inside if n not in folders and n[0] != "."]
    return sorted(locks), sorted(found)


def hashes(root: Path, locks: Iterable[str]) -> dict[str, str]:
    """The content of each lock file that is there."""
    read = ((name, files.read(root / name)) for name in locks)
    return {name: hashlib.sha256(raw).hexdigest() for name, raw in read if raw is not None}


class Setup(Struct):
    """The set-up of one target."""

    commands: tuple[Command, ...]
    folders: tuple[str, ...]
    """Names of the dependency folders that it makes."""
    run: Runner
    marker: Path
    seconds: float
    locks: set[str] = field(default_factory=set)

    async def ensure(
        self, root: Path, env: Mapping[str, str], changed: Iterable[str], *, pristine: bool
    ) -> bool:
        """Run the commands if they have not been run for these lock files; True if they were."""
        if not self.locks:
            self.locks.update(survey(root, self.folders)[0])
        self.locks.update(path for path in changed if is_lock(path))
        wanted = {
            "root": str(root),
            "commands": [list(command) for command in self.commands],
            "locks": hashes(root, sorted(self.locks)),
        }
        if self._is_done(root, wanted, pristine=pristine):
            return False
        self.marker.unlink(missing_ok=True)
        for command in self.commands:
            await self._one(command, root, env)
        made = {name: entries(root / name) for name in survey(root, self.folders)[1]}
        files.write(self.marker, json.dumps({"for": wanted, "made": made}), durable=False)
        return True

    def _is_done(self, root: Path, wanted: Mapping[str, object], *, pristine: bool) -> bool:
        try:
            seen = json.loads(files.read(self.marker) or b"{}")
            made: dict[str, dict[str, str]] = seen["made"]
            if seen["for"] != wanted:
                return False
        except (ValueError, KeyError, TypeError):
            return False
        if not pristine:
            return all((root / name).is_dir() for name in made)
        return all(self._is_whole(root, name, before) for name, before in made.items())

    @staticmethod
    def _is_whole(root: Path, name: str, before: Mapping[str, str]) -> bool:
        folder = (root / name).parent.resolve()
        return folder.is_relative_to(root.resolve()) and restored(root / name, before)

    async def _one(self, command: Command, root: Path, env: Mapping[str, str]) -> None:
        finished = await self.run(Child(command, root, env, wall_seconds=self.seconds, online=True))
        if finished.ended is Ended.EXITED and finished.exit_code == 0:
            return
        raise CheckError(
            f"The set-up `{shown(command)}` failed in {root}: {_reason(finished)}",
            fix="Try it in a fresh clone, then correct `verification.setup` in ralph.yaml.",
        )


def _reason(finished: Finished) -> str:
    if finished.ended is Ended.TIMEOUT:
        return "it timed out"
    from ralph.reading.cause import cause  # many patterns, and most set-ups work

    said = cause(finished.text(1 << 16))
    short = said if len(said) <= _SAID else f"{said[:_SAID].rstrip()}…"
    return finished.error or short or f"exit {finished.exit_code}"
