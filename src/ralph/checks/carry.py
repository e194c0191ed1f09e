"""What git ignores and the checks need: copied from the user's checkout, never linked to it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from msgspec import Struct, field

from ralph import files
from ralph.checks.fingerprint import digest, entries, outermost, remove, restored, undone
from ralph.checks.relocate import Move, relocate
from ralph.domain.errors import CheckError
from ralph.process import Child, Finished
from ralph.process.waiting import in_thread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Runner: TypeAlias = Callable[[Child], Awaitable[Finished]]

MANIFESTS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "composer.json",
    "Gemfile",
    "go.mod",
    "Cargo.toml",
)
_DEPTH = 3
FEW = 200
"""Files that are brought one by one; if checks changed more of them, all are."""
_METADATA = ".egg-info"


def find(source: Path, ignored: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """The ignored paths to carry: named ones, and those of a package further down."""
    listed = {path.rstrip("/") for path in ignored}
    wanted = {name.strip("/") for name in names}
    chosen = {name for name in wanted if _is_ignored(name, listed)}
    for path in listed:
        folder, _, base = path.rpartition("/")
        if path.count("/") > _DEPTH:
            continue
        if base.endswith(_METADATA) or (base in wanted and _has_manifest(source / folder)):
            chosen.add(path)
    present = (path for path in chosen if (source / path).exists())
    return outermost(present)


def _is_ignored(name: str, listed: set[str]) -> bool:
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") for part in parts):
        return False
    return any("/".join(parts[:n]) in listed for n in range(1, len(parts) + 1))


def _has_manifest(folder: Path) -> bool:
    return any((folder / name).is_file() for name in MANIFESTS)


class Copy(Struct, frozen=True):
    """One carried path as it was when it was copied."""

    source: str
    """The fingerprint of the user's; empty for a link that was kept."""
    entries: dict[str, str]


class Carrier(Struct):
    """Carries into one target. What it copied once is compared with itself from then on."""

    move: Move
    run: Runner
    store: Path
    """Beside the target, so that the target's own tree shows nothing of it."""
    copies: dict[str, Copy] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    async def bring(self, paths: Iterable[str], named: Sequence[str], *, pristine: bool) -> None:
        """Make the target's copies equal to the source, copying only what has changed."""
        self._make_store()
        for path in paths:
            if not self._has_room(path, make=path in named):
                continue
            if self._leads_out(path):
                self._keep_link(path)
                continue
            self.copies[path] = await self._brought(path, pristine=pristine)

    def _make_store(self) -> None:
        try:
            self.store.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise files.explain(error, self.store) from error

    async def restore(self) -> tuple[str, ...]:
        """Undo what checks did to the copies; the paths where that is not possible."""
        lost: list[str] = []
        for path, copy in self.copies.items():
            if not copy.source or not self._has_room(path, make=False):
                continue
            again = await in_thread(partial(self._undone, path, copy))
            if again is not None:
                self.copies[path] = again
                continue
            listing = entries(self._origin(path))
            if digest(listing) != copy.source:
                lost.append(path)
                continue
            self.copies[path] = await self._copied(path, listing)
        return tuple(lost)

    def _undone(self, path: str, copy: Copy) -> Copy | None:
        """The copy as it was. A cache among the dependencies is written to by every run."""
        listing = undone(self.move.target / path, copy.entries, self._origin(path), FEW)
        if listing is None:
            return None
        if listing == copy.entries:
            return copy
        mended = Copy(copy.source, listing)
        self._remember(path, mended)
        return mended

    async def _brought(self, path: str, *, pristine: bool) -> Copy:
        listing = entries(self._origin(path))
        known = self._remembered(path)
        if known is not None and self._holds(path, known, digest(listing), pristine=pristine):
            return known
        return await self._copied(path, listing)

    def _holds(self, path: str, known: Copy, source: str, *, pristine: bool) -> bool:
        """Whether the target's copy of an earlier run will do."""
        destination = self.move.target / path
        if pristine:
            return known.source == source and restored(destination, known.entries)
        # An agent's own installation is worth more than a fresh copy.
        now = entries(destination)
        return bool(now) and (known.source == source or now != known.entries)

    async def _copied(self, path: str, listing: dict[str, str]) -> Copy:
        staged = self.store / "new"
        destination = self.move.target / path
        try:
            remove(staged)
            await duplicate(self._origin(path), staged, self.run)
            relocate(staged, path, listing, self.move)
            remove(destination)
            staged.rename(destination)
        except (OSError, shutil.Error) as error:
            raise CheckError(
                f"Cannot copy `{path}` from {self.move.source} to {self.move.target}: {error}"[
                    :300
                ],
                fix="Take it out of `verification.carry`, or use `verification.setup`.",
            ) from error
        copy = Copy(digest(listing), entries(destination))
        self._remember(path, copy)
        return copy

    def _origin(self, path: str) -> Path:
        """The source's path; behind a link that stays inside the repository, what it means."""
        return (self.move.source / path).resolve()

    def _leads_out(self, path: str) -> bool:
        origin = self.move.source / path
        return origin.is_symlink() and self.move.path(os.path.realpath(origin)) is None

    def _keep_link(self, path: str) -> None:
        origin, destination = self.move.source / path, self.move.target / path
        meant = os.path.normpath(origin.parent / origin.readlink())
        remove(destination)
        destination.symlink_to(meant)
        self.copies[path] = Copy("", {})
        self.notes.append(
            f"`{path}` is a link to {meant}, outside the repository: the checks use it in place."
        )

    def _has_room(self, path: str, *, make: bool) -> bool:
        """Whether the copy's folder is there and does not lead out of the target."""
        folder = (self.move.target / path).parent
        root = self.move.target.resolve()
        if not folder.resolve().is_relative_to(root):
            self.notes.append(
                f"`{path}` was not carried: a link in its path leads out of the checkout."
            )
            return False
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        return folder.is_dir()

    def _marker(self, path: str) -> Path:
        return self.store / f"{quote(path, safe='')}.json"

    def _remembered(self, path: str) -> Copy | None:
        raw = files.read(self._marker(path))
        try:
            seen = json.loads(raw or b"{}")
            if seen["from"] != str(self.move.source) or seen["to"] != str(self.move.target):
                return None
            return Copy(str(seen["source"]), dict(seen["entries"]))
        except (ValueError, KeyError, TypeError):
            return None

    def _remember(self, path: str, copy: Copy) -> None:
        seen = {
            "from": str(self.move.source),
            "to": str(self.move.target),
            "source": copy.source,
            "entries": copy.entries,
        }
        files.write(self._marker(path), json.dumps(seen), durable=False)


async def duplicate(origin: Path, target: Path, run: Runner) -> None:
    """Copy a file or a folder as it is, without its blocks where the file system can."""
    argv = ("cp", "-a", "--reflink=auto", "-T", "--", str(origin), str(target))
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    finished = await run(Child(argv, target.parent, environment, own=True))
    if finished.exit_code != 0:
        _duplicate_slowly(origin, target)


def _duplicate_slowly(origin: Path, staged: Path) -> None:
    """For machines whose `cp` knows less."""
    remove(staged)
    if origin.is_dir():
        shutil.copytree(origin, staged, symlinks=True)
    else:
        shutil.copy2(origin, staged)


def store_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.carried")
