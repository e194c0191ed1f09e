"""What git ignores in the user's checkout, for an agent that works there: copies of its own.

Dependencies, caches, a `.env`: what an agent installs, changes or breaks there stays its own. The
user's, from which the checks get theirs, is as it was.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from ralph import files
from ralph.checks.carry import duplicate
from ralph.checks.fingerprint import digest, entries, outermost, remove, restored
from ralph.domain.errors import CheckError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ralph.checks.carry import Runner

MOST_FILES = 2_000
MOST_BYTES = 64 << 20
"""What is copied of something that is no dependency: a large cache is used in place."""
MOST_PATHS = 200
STORE = "borrowed"

Binds: TypeAlias = tuple[tuple[Path, Path], ...]
"""Copies, and what they are copies of."""


async def borrow(
    root: Path,
    folder: Path,
    ignored: Sequence[str],
    carried: Collection[str],
    shared: Collection[str],
    run: Runner,
) -> Binds:
    """Copies and where they belong; those of an earlier run are used if nothing has changed.

    `carried` is copied however large it is, `shared` is used in place.
    """
    store = folder / STORE
    store.mkdir(parents=True, exist_ok=True)
    binds: list[tuple[Path, Path]] = []
    for path in _paths(ignored, carried):
        origin, copy = root / path, store / quote(path, safe="")
        if _is_shared(path, shared) or not _is_own(origin, root):
            continue
        if path not in carried and not _is_small(origin):
            continue
        try:
            await _make(origin, copy, run)
        except OSError as error:
            if path in carried:
                raise _cannot(origin, error) from error
            continue  # what nobody can read is no agent's either: it stays where it is
        binds.append((copy, origin))
    _sweep(store, {copy.name for copy, _ in binds})
    return tuple(binds)


def _paths(ignored: Sequence[str], carried: Collection[str]) -> tuple[str, ...]:
    """What may be lent: where very much is ignored, the dependencies and what lies at the top."""
    every = (one.rstrip("/") for one in ignored)
    few = len(ignored) <= MOST_PATHS
    return outermost({*carried, *(one for one in every if few or "/" not in one)})


def _is_shared(path: str, shared: Collection[str]) -> bool:
    """Whether it is, holds, or lies in something that is used in place."""
    return any(
        one == path or one.startswith(f"{path}/") or path.startswith(f"{one}/") for one in shared
    )


def _is_own(origin: Path, root: Path) -> bool:
    """Whether it lies in the checkout itself, not behind a link, and is no repository."""
    real = Path(os.path.realpath(origin))
    inside = real == Path(os.path.realpath(root)) / origin.relative_to(root)
    return inside and real.exists() and not (real / ".git").exists()


def _is_small(origin: Path) -> bool:
    size = 0
    with contextlib.suppress(FileNotFoundError):  # gone meanwhile: it is somebody's at work
        for seen, path in enumerate(_all_below(origin)):
            size += path.lstat().st_size
            if seen > MOST_FILES or size > MOST_BYTES:
                return False
        return True
    return False


def _all_below(origin: Path) -> Iterator[Path]:
    yield origin
    if origin.is_dir():
        yield from origin.rglob("*")


def _holds(copy: Path, source: str) -> bool:
    """Whether the copy of an earlier run is of the same, and as it was then."""
    try:
        seen = json.loads(files.read(_marker(copy)) or b"{}")
        return bool(seen["source"] == source and restored(copy, seen["entries"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


async def _make(origin: Path, copy: Path, run: Runner) -> None:
    """The copy, unless that of an earlier run will do."""
    source = digest(entries(origin))
    if _holds(copy, source):
        return
    remove(_marker(copy))
    remove(copy)
    await duplicate(origin, copy, run)
    seen = {"source": source, "entries": entries(copy)}
    files.write(_marker(copy), json.dumps(seen), durable=False)


def _cannot(origin: Path, error: OSError) -> CheckError:
    return CheckError(
        f"Cannot copy {origin} for the agents: {error}"[:300],
        fix="Free some space, or name it in `safety.write`: then it is used in place.",
    )


def _marker(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.json")


def _sweep(store: Path, kept: Collection[str]) -> None:
    for path in store.iterdir():
        if path.name not in kept and path.name.removesuffix(".json") not in kept:
            remove(path)
