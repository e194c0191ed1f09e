"""Where a plan is: its path below the root, or anywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from ralph import files
from ralph.domain.errors import PlanError


def key_of(path: str, root: Path) -> str:
    """The path relative to the root, or absolute if it lies outside."""
    full = os.path.normpath(root / path)
    for place, base in ((full, root), (_real(full), Path(os.path.realpath(root)))):
        if Path(place).is_relative_to(base):
            return Path(place).relative_to(base).as_posix()
    return Path(full).as_posix()


def _real(path: str) -> str:
    """The path with its folder's links followed; the file itself may be a link the user made."""
    folder, name = os.path.split(path)
    return str(Path(os.path.realpath(folder)) / name)


def read_file(root: Path, key: str, source: str) -> bytes:
    try:
        data = files.read(root / key)
    except OSError as error:
        raise PlanError(f"{source} cannot be read: {error.strerror}.") from error
    if data is None:
        raise PlanError(
            f"{source} does not exist in {root}.",
            fix="Run `ralph init` to write a plan, or name the one you have.",
        )
    return data


def unknown_task(source: str, name: str) -> NoReturn:
    raise PlanError(f"{source}: no task has the id {name!r}.")
