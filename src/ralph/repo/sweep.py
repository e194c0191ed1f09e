"""Lock files of git processes that were killed: without this the next run would be stuck."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.repo.repository import Repo

OLD_ENOUGH = 2.0
_PROC = Path("/proc")


def sweep_locks(
    repo: Repo, state_dir: Path | None = None, *, branch: str = "", seconds: float = OLD_ENOUGH
) -> tuple[str, ...]:
    """Remove stale locks and name them; only while Ralph's own lock is held.

    A lock goes when it is `seconds` old (a younger one is waited for), when no living process has
    it open and no git works in this repository.
    """
    locks = tuple(_locks(repo, state_dir, branch))
    if not locks:
        return ()
    _wait(locks, seconds)
    if _git_at_work(repo):
        return ()
    opened = _open_files()
    stale = (lock for lock in locks if os.path.realpath(lock) not in opened)
    return tuple(str(lock) for lock in stale if _unlink(lock))


def _locks(repo: Repo, state_dir: Path | None, branch: str) -> Iterator[Path]:
    common = repo.common_dir
    for folder in {repo.git_dir, common}:
        yield from _there(folder / f"{name}.lock" for name in ("index", "HEAD"))
    yield from _there(iter((common / "packed-refs.lock",)))
    if branch and not branch.startswith("ralph/"):
        yield from _there(iter((common / "refs/heads" / f"{branch}.lock",)))
    for folder in (common / "worktrees").glob("*"):
        yield from _there(folder / f"{name}.lock" for name in ("index", "HEAD"))
    for ours in ("refs/ralph", "refs/heads/ralph"):
        yield from (common / ours).rglob("*.lock")
    if state_dir is not None:
        yield from state_dir.glob("*.lock")


def _there(paths: Iterator[Path]) -> Iterator[Path]:
    return (path for path in paths if path.exists())


def _wait(locks: tuple[Path, ...], seconds: float) -> None:
    ages = [seconds - (time.time() - when) for lock in locks if (when := _mtime(lock))]
    time.sleep(min(max(0.0, *ages, 0.0), seconds))


def _mtime(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return None


def _git_at_work(repo: Repo) -> bool:
    places = (str(repo.root.resolve()), str(repo.common_dir.resolve()))
    for process in _processes():
        try:
            name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
            where = str((process / "cwd").readlink()) if name.startswith("git") else ""
        except OSError:
            continue
        if where and any(where == p or where.startswith(f"{p}/") for p in places):
            return True
    return False


def _open_files() -> frozenset[str]:
    found = set()
    for process in _processes():
        try:
            handles = list((process / "fd").iterdir())
        except OSError:
            continue
        for handle in handles:
            try:
                found.add(str(handle.readlink()))
            except OSError:
                continue
    return frozenset(found)


def _processes() -> Iterator[Path]:
    return (path for path in _PROC.iterdir() if path.name.isdigit())


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
