"""A repository in memory: for tests of what is built on a workspace, without git or a process."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from concurrent.futures import Future
from fnmatch import fnmatch
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import RepoError
from ralph.repo.candidate import Candidate
from ralph.repo.commit import OwnCommit
from ralph.repo.diff import FileChange
from ralph.repo.guard import ConfigSnapshot
from ralph.repo.refs import Salvage
from ralph.repo.status import TreeStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ralph.repo.lent import Lent

KEPT = "refs/ralph/salvage/"
CHECKPOINTS = "refs/ralph/checkpoint/"


class MemoryCommit(Struct, frozen=True):
    parent: str
    files: Mapping[str, bytes]
    message: str


class MemoryRepository:
    """What is committed and kept. It outlives the workspaces, as a repository does."""

    def __init__(self, root: Path, ignored: Collection[str] = (".ralph", ".agent")) -> None:
        self.root = root
        self.ignored = tuple(ignored)
        """Patterns for the first part of a path."""
        self.commits: dict[str, MemoryCommit] = {}
        self.refs: dict[str, str] = {}
        self.main = self.commit("", self.here(), "start")

    def commit(self, parent: str, held: Mapping[str, bytes], message: str) -> str:
        name = _digest(parent.encode(), message.encode(), tree_of(held).encode())
        self.commits[name] = MemoryCommit(parent, dict(held), message)
        return name

    def here(self) -> dict[str, bytes]:
        """What is in the folder and not ignored."""
        found: dict[str, bytes] = {}
        for folder, below, names in os.walk(self.root):
            place = Path(folder).relative_to(self.root)
            below[:] = [name for name in below if not self.hides(str(place / name))]
            for name in names:
                path = str(place / name)
                data = None if self.hides(path) else files.read(self.root / path)
                if data is not None:
                    found[path] = data
        return found

    def hides(self, path: str) -> bool:
        return any(fnmatch(path.split("/", 1)[0], pattern) for pattern in self.ignored)

    def keep(self, prefix: str, name: str, commit: str) -> str:
        """A ref of its own; one that is in use is never taken over."""
        ref, number = f"{prefix}{name}", 1
        while ref in self.refs:
            number += 1
            ref = f"{prefix}{name}-{number}"
        self.refs[ref] = commit
        return ref


class MemoryWorkspace:
    """The folder of a repository in memory; see `loop.ports.Workspace` for what it promises."""

    def __init__(
        self,
        repository: MemoryRepository,
        branch: str,
        state_dir: Path,
        *,
        run: str = "",
        allowed_dirt: Collection[str] = (),
        untracked: Collection[str] | None = None,
    ) -> None:
        """`untracked` is what the ledger knows, where a killed run left work behind."""
        self._repository = repository
        self.branch = branch
        self.state_dir = state_dir
        self._run = run
        self._allowed = frozenset(allowed_dirt)
        self.came_from, self.lacks = "", 0
        repository.refs.setdefault(self._ref, repository.main)
        known = self._files(self.head()).keys() | self._allowed
        mine = repository.here()
        users = mine.keys() - known if untracked is None else mine.keys() & set(untracked)
        self._users = {name: mine[name] for name in users}

    @property
    def root(self) -> Path:
        return self._repository.root

    @property
    def common_dir(self) -> Path:
        return self.root

    @property
    def untracked(self) -> tuple[str, ...]:
        return tuple(sorted(self._users))

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def check(self) -> None:
        """There is always a commit, and nothing can be half done."""

    def head(self) -> str:
        return self._repository.refs[self._ref]

    def is_at_home(self) -> bool:
        return True

    def status(self) -> TreeStatus:
        changed = (one.path for one in self.changed_files(self.head()))
        return TreeStatus(self.head(), self.branch, tuple(changed))

    def foreign_changes(self) -> tuple[str, ...]:
        return tuple(name for name in self.status().changed if name not in self._allowed)

    def look_again(self) -> None:
        """Every look is a new one."""

    def foresee(self, overrides: Mapping[str, bytes | None]) -> None:
        """Nothing takes so long that it has to begin early."""

    def wait_for_foreseen(self) -> None:
        """Nothing is under way."""

    def candidate(
        self,
        base: str,
        message: str,
        overrides: Mapping[str, bytes | None] | None = None,
        author: str = "",
    ) -> Candidate:
        del author  # nobody is asked who made what
        values = overrides or {}
        held = self._mine()
        seen = {name: files.read(self.root / name) for name in values}
        held.update((name, data) for name, data in values.items() if data is not None)
        held = {n: data for n, data in held.items() if n not in values or values[n] is not None}
        changes = _changes(self._files(base), held)
        safe: Future[None] = Future()
        safe.set_result(None)
        return Candidate(
            commit=self._repository.commit(base, held, message),
            tree=tree_of(held),
            parent=base,
            files=changes,
            empty=all(one.path in values for one in changes),
            overrides=dict(values),
            seen=seen,
            safe=safe,
        )

    def land(
        self,
        made: Candidate,
        overrides: Mapping[str, bytes | None] | None = None,
        *,
        expected: str | None = None,
    ) -> tuple[str, ...]:
        if self.head() != (expected or made.parent):
            raise RepoError(f"{self.branch} is no longer at {(expected or made.parent)[:10]}.")
        self._repository.refs[self._ref] = made.commit
        values = made.overrides if overrides is None else overrides
        edited = [n for n in values if files.read(self.root / n) != made.seen.get(n)]
        for name in values:
            if name not in edited:
                self._put(name, values[name])
        return tuple(edited)

    def landed(self, commit: str) -> bool:
        return commit in self._history(self.head())

    def finish_landing(self, commit: str) -> None:
        """What was still as the parent had it gets what the commit says."""
        before = self._files(self._repository.commits[commit].parent)
        for one in _changes(before, self._files(commit)):
            if files.read(self.root / one.path) == before.get(one.path):
                self._put(one.path, self._files(commit).get(one.path))

    def checkpoint(self, name: str, commit: str) -> Salvage:
        ref = f"{CHECKPOINTS}{name}"
        self._repository.refs[ref] = commit
        return Salvage(ref, commit)

    def salvage(
        self,
        name: str,
        why: str,
        base: str | None = None,
        *,
        task: str = "",
        iteration: int = 0,
        leave_out: Collection[str] = (),
    ) -> Salvage | None:
        base = base or self.head()
        held, before = self._mine(), self._files(base)
        now = self._repository.here()
        held |= {n: now[n] for n, data in self._users.items() if n in now and now[n] != data}
        held = {n: data for n, data in held.items() if n not in leave_out}
        held |= {n: before[n] for n in leave_out if n in before}
        if held == before:
            return None
        commit = self._repository.commit(base, held, why)
        ref = self._repository.keep(KEPT, name, commit)
        return Salvage(ref, commit, why=why, task=task, iteration=iteration, run=self._run)

    def restore(self, base: str, keep: Collection[str] = ()) -> None:
        wanted = self._files(base) | self._users
        for name in self._repository.here().keys() | wanted.keys():
            if name not in keep:
                self._put(name, wanted.get(name))

    def apply(self, ref: str) -> bool:
        commit = self._repository.refs.get(ref, ref)
        if commit not in self._repository.commits:
            raise RepoError(f"Nothing is kept under {ref}.")
        kept = self._repository.commits[commit]
        before, here = self._files(kept.parent), self._mine()
        changed = [one.path for one in _changes(before, kept.files)]
        if any(here.get(n) not in (before.get(n), kept.files.get(n)) for n in changed):
            return False
        for name in changed:
            self._put(name, kept.files.get(name))
        return True

    def show(self, commit: str, path: str) -> bytes | None:
        commit = self._repository.refs.get(commit, commit)
        return self._files(commit).get(path)

    def changed_files(self, base: str) -> tuple[FileChange, ...]:
        base = self._repository.refs.get(base, base)
        return _changes(self._files(base), self._mine())

    def diff_stat(self, base: str) -> str:
        return "\n".join(f" {one.path} | {one.status}" for one in self.changed_files(base))

    def text_diff(self, base: str, commit: str) -> str:
        return "".join(_text(self._files(base), self._files(commit)))

    def listing(self, commit: str) -> tuple[str, ...]:
        return tuple(sorted(self._files(commit)))

    def search(self, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
        wanted, ends = re.compile(pattern), tuple(endings)
        texts = ((n, _lines(d)) for n, d in self._files(commit).items() if n.endswith(ends))
        return [(n, one) for n, lines in texts for one in lines if wanted.search(one)]

    def ignored_among(self, names: Iterable[str]) -> frozenset[str]:
        return frozenset(name for name in names if self._repository.hides(name))

    def config_snapshot(self) -> ConfigSnapshot:
        return ConfigSnapshot({})

    def restore_config(self, snapshot: ConfigSnapshot) -> tuple[str, ...]:
        del snapshot  # there are no settings
        return ()

    def other_branches(self) -> dict[str, str]:
        heads = self._repository.refs.items()
        return {n: at for n, at in heads if n.startswith("refs/heads/") and n != self._ref}

    def put_back_branches(
        self, before: Mapping[str, str], name: str
    ) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        for ref, was in before.items():
            now = self._repository.refs.get(ref)
            if now is not None and was in self._history(now):
                continue
            kept = self._repository.keep(KEPT, name, now) if now is not None else ""
            self._repository.refs[ref] = was
            found.append((ref.removeprefix("refs/heads/"), kept))
        return tuple(found)

    def put_back_head(self, base: str, name: str) -> Salvage | None:
        now = self.head()
        self._repository.refs[self._ref] = base
        if now == base:
            return None
        return Salvage(self._repository.keep(KEPT, name, now), now)

    def own_commits(self, base: str, name: str) -> tuple[OwnCommit, ...]:
        kept = self._repository.refs.get(f"{KEPT}{name}", base)
        history = takewhile(lambda commit: commit != base, self._history(kept))
        own = [OwnCommit(self._repository.commits[one].message, "") for one in history]
        return tuple(reversed(own))

    def bring_back_untracked(self) -> tuple[str, ...]:
        gone = [name for name in self._users if not (self.root / name).exists()]
        for name in gone:
            self._put(name, self._users[name])
        return tuple(gone)

    def leave(self) -> None:
        """Nobody was on another branch."""

    def sweep_locks(self) -> None:
        """Nothing locks anything."""

    def lend(self, folder: Path) -> Lent:
        raise RepoError(
            f"A repository in memory has nothing to lend below {folder}.",
            fix="Use it without walls (safety.sandbox: off).",
        )

    def take_over(self, given: Lent, name: str) -> Iterator[tuple[str, str]]:
        del given, name  # nothing was lent
        yield from ()

    def _files(self, commit: str) -> dict[str, bytes]:
        known = self._repository.commits.get(commit)
        return dict(known.files) if known is not None else {}

    def _mine(self) -> dict[str, bytes]:
        """What is here, without what was the user's own before."""
        return {n: d for n, d in self._repository.here().items() if n not in self._users}

    def _history(self, commit: str) -> Iterator[str]:
        while commit in self._repository.commits:
            yield commit
            commit = self._repository.commits[commit].parent

    def _put(self, name: str, data: bytes | None) -> None:
        path = self.root / name
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def tree_of(held: Mapping[str, bytes]) -> str:
    """The same for the same files."""
    return _digest(*(part for name in sorted(held) for part in (name.encode(), held[name])))


def _digest(*parts: bytes) -> str:
    whole = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()


def _changes(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[FileChange, ...]:
    names = sorted(n for n in before.keys() | after.keys() if before.get(n) != after.get(n))
    return tuple(
        FileChange(n, "A" if n not in before else "D" if n not in after else "M") for n in names
    )


def _text(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterator[str]:
    for one in _changes(before, after):
        yield f"diff --git a/{one.path} b/{one.path}\n"
        old, new = _lines(before.get(one.path, b"")), _lines(after.get(one.path, b""))
        named = f"a/{one.path}", f"b/{one.path}"
        for line in difflib.unified_diff(old, new, *named, n=0, lineterm=""):
            yield f"{line}\n"


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").splitlines()
