"""What Ralph keeps and nobody needs any more. Work that is on no branch is never among it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import RalphError
from ralph.repo import Repo, lock, worktrees
from ralph.repo.landed import is_on_a_branch
from ralph.repo.refs import CHECKPOINTS, SALVAGE, drop, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ralph.repo.refs import Salvage

DAY = 86_400.0
ANEW = ("checkout", "checkout-*", "checkout.*", "lent", "trials", "tmp", "calibrate-*")
"""What a run makes again when it needs it."""
WORK = ("workspace", "artefacts", "review")
"""What may hold something that is nowhere else."""


class Thing(Struct, frozen=True):
    """Something that can go, or has to stay."""

    what: str
    why: str
    bytes: int = 0
    paths: tuple[str, ...] = ()
    refs: tuple[tuple[str, str], ...] = ()
    """With the commits that they name."""
    kept: bool = False
    """It stays, and a person may want to know."""
    repository: str = ""
    """The git folder that the paths and refs belong to, if there is one."""


def look(
    home: Path, now: float, days: float, needed: Callable[[str], frozenset[str] | None]
) -> Iterator[Thing]:
    """All there is in this home, and in the repositories that it has worked on.

    `needed` tells which refs of a project its tasks and questions speak of, if that is known.
    """
    for folder in sorted((home / "projects").glob("*")):
        yield from _project(folder, now - days * DAY, days, needed)
    old = [path for path in (home / "crashes").glob("*") if _used(path) < now - days * DAY]
    if old:
        yield _thing(_count(len(old), "crash report"), f"older than {days:g} days", old)


def remove(thing: Thing) -> None:
    """A RalphError if it cannot be removed; what is gone by then stays gone."""
    if not thing.repository:
        _unlink(thing.paths)
        return
    common = Path(thing.repository)
    with lock.hold(lock.path_in(common)):
        for ref, commit in thing.refs:
            drop(_open(common).git, ref, commit)
        for path in thing.paths:
            worktrees.forget(common, Path(path))
        _unlink(thing.paths)


def _unlink(paths: Iterable[str]) -> None:
    for path in map(Path, paths):
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise files.explain(error, path) from error


def _project(
    folder: Path, before: float, days: float, needed: Callable[[str], frozenset[str] | None]
) -> Iterator[Thing]:
    common = repository(folder)
    if common is None:
        return  # it never had a clean checkout
    name = str(common.parent if common.name == ".git" else common)
    places = [path for pattern in ANEW for path in folder.glob(pattern)]
    used = max(map(_used, (folder, *places)))
    if not common.is_dir():
        # its disk may only be away for a while
        if places and used < before:
            yield _thing(f"clean checkouts of {name}", "the repository is gone", places)
        left = [one for one in WORK if (folder / one).exists()]
        if left:
            why = f"may hold work, and the repository {name} is gone"
            yield Thing(f"{', '.join(left)} in {folder}", why, kept=True)
        return
    if (holder := lock.holder(common)) is not None:
        yield Thing(f"all of {name}", f"Ralph is running there (pid {holder.pid})", kept=True)
        return
    if places and used < before:
        why = f"not used for {days:g} days; the next run recreates them"
        yield _thing(f"clean checkouts of {name}", why, places, common)
    yield from _refs(common, name, before, days, needed(folder.name))


def _refs(
    common: Path, name: str, before: float, days: float, needed: frozenset[str] | None
) -> Iterator[Thing]:
    try:
        git = _open(common).git
        for prefix, what in ((CHECKPOINTS, "checkpoint ref"), (SALVAGE, "salvage ref")):
            old = [one for one in listed(git, prefix) if one.when < before]
            landed: list[Salvage] = []
            others: list[Salvage] = []
            for one in old:
                free = needed is not None and one.ref not in needed
                goes = free and is_on_a_branch(git, one.commit)
                (landed if goes else others).append(one)
            if landed:
                refs = tuple((one.ref, one.commit) for one in landed)
                why = f"older than {days:g} days, and their commits are on a branch"
                yield Thing(
                    f"{_count(len(refs), what)} of {name}", why, refs=refs, repository=str(common)
                )
            if others:
                why = "not on any branch, or needed by a task: see `ralph salvage list`"
                yield Thing(f"{_count(len(others), f'old {what}')} of {name}", why, kept=True)
    except RalphError as error:
        yield Thing(f"the refs of {name}", error.what, kept=True)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _open(common: Path) -> Repo:
    return Repo.open(common.parent if common.name == ".git" else common, to_write=False)


def repository(folder: Path) -> Path | None:
    """The git folder that a clean checkout or the worktree of this project is linked to."""
    for place in (*folder.glob("checkout*"), folder / "workspace"):
        said = files.read(place / ".git") if (place / ".git").is_file() else None
        if said is not None and said.startswith(b"gitdir: "):
            return Path(os.fsdecode(said.removeprefix(b"gitdir: ").strip())).parent.parent
    return None


def _thing(what: str, why: str, paths: Iterable[Path], common: Path | None = None) -> Thing:
    every = tuple(paths)
    return Thing(
        what,
        why,
        sum(map(_size, every)),
        tuple(map(str, every)),
        repository=str(common) if common is not None else "",
    )


def _used(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    """Bytes on the disk; of a file with several names only if none of them is elsewhere."""
    total = 0
    for where, _, names in os.walk(path) if path.is_dir() and not path.is_symlink() else ():
        for name in names:
            try:
                found = os.lstat(os.path.join(where, name))  # noqa: PTH118 - many files
            except OSError:
                continue
            total += found.st_blocks * 512 if found.st_nlink == 1 else 0
    if not path.is_dir():
        total = path.lstat().st_size
    return total
