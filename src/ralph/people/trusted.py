"""What a person has accepted of each repository: a file per clone, outside of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ralph import files
from ralph.domain.powers import Power

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Accepted(msgspec.Struct, frozen=True):
    root: str
    """The checkout it was accepted in, for people: the file's name says which clone."""
    by: str
    at: float
    powers: tuple[Power, ...] = ()


def path_of(home: Path, project: str) -> Path:
    return home / "trust" / f"{project}.json"


def read(path: Path) -> tuple[Power, ...]:
    """Nothing, where the file is missing or is not what `write` made."""
    try:
        return msgspec.json.decode(files.read(path) or b"{}", type=Accepted).powers
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ()


def write(path: Path, root: Path, by: str, at: float, powers: Iterable[Power]) -> None:
    kept = Accepted(str(root), by, at, tuple(powers))
    files.write(path, msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n")


def forget(path: Path) -> bool:
    """Whether there was anything."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise files.explain(error, path) from error
    return True
