"""Indexes: our own beside the user's, copies for a moment, and everything staged into one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import RepoError
from ralph.repo.diff import GITLINK
from ralph.repo.git import but_for, join_names, split_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ralph.repo.git import Git

LOCK_SECONDS = 5.0
_LINK = int(GITLINK, 8).to_bytes(4)
"""How a submodule's kind stands in an index; other bytes may look like it."""
_EMBEDDED = re.compile(r"^warning: adding embedded git repository: (.+)$", re.MULTILINE)
_UNBORN = re.compile(r"^error: '(.+)/' does not have a commit checked out$", re.MULTILINE)
_NO_FILE = re.compile(r"^error: (.+): can only add regular files, .*$", re.MULTILINE)
"""A pipe or a socket where a file was: the file is gone."""


def stage(git: Git, apart_from: Collection[str] = ()) -> tuple[str, ...]:
    """Bring the index up to what the work tree holds, some files apart. One process; three where
    there are submodules.

    Returns the nested repositories that were found: their files are staged as files, since a link
    to a commit that nobody else has would lose them.
    """
    links = gitlinks(git)
    args = but_for((*apart_from, *links), "add", "--all", "--ignore-errors")
    done = git.ask(*args)
    add(git, (name for name in links if name not in apart_from))
    if not done.err:
        return ()
    unborn = _UNBORN.findall(done.err)
    nested = tuple(dict.fromkeys([*_EMBEDDED.findall(done.err), *unborn]))
    errors = [line for line in done.err.splitlines() if line.startswith(("error:", "fatal:"))]
    gone = _NO_FILE.findall(done.err)
    known = len(unborn) + len(gone)
    if done.code and (len(errors) > known or not known):
        raise git.failed(args, done)
    remove(git, gone)
    flatten(git, nested)
    return nested


def gitlinks(git: Git) -> tuple[str, ...]:
    """The submodules that the index knows. One process where there may be any, else none.

    `git add` would start another git in each, and that one the filters of a configuration that
    nobody has looked at.
    """
    if _LINK not in (files.read(git.index or git.git_dir / "index") or b""):
        return ()
    entries = (os.fsdecode(one) for one in git.run("ls-files", "--stage", "-z").split(b"\0"))
    return tuple(one.partition("\t")[2] for one in entries if one.startswith(GITLINK))


def flatten(git: Git, nested: Sequence[str]) -> None:
    """Stage the files below these folders as files. Three processes if there are any."""
    if not nested:
        return
    remove(git, nested)
    found = [name for folder in nested for name in _walk(git.work_tree, folder)]
    ignored = ignored_names(git, found)
    add(git, [name for name in found if name not in ignored])


def _walk(root: Path, folder: str) -> Iterator[str]:
    for where, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if Path(where, name).is_symlink()]
        for name in (*names, *links):
            if name != ".git":
                yield str((Path(where) / name).relative_to(root))


def add(git: Git, names: Iterable[str]) -> None:
    """Stage these files, ignored or not. One process if there are any."""
    data = join_names(names)
    if data:
        git.run("update-index", "--add", "--remove", "-z", "--stdin", stdin=data)


def remove(git: Git, names: Iterable[str]) -> None:
    """Take these paths out of the index. One process if there are any."""
    data = join_names(names)
    if data:
        git.run("update-index", "--force-remove", "-z", "--stdin", stdin=data)


def ignored_names(git: Git, names: Iterable[str], *options: str) -> frozenset[str]:
    """Which of these the ignore rules hide; a tracked file never is, unless `--no-index`."""
    data = join_names(names)
    if not data:
        return frozenset()
    done = git.ask("check-ignore", "-z", "--stdin", *options, stdin=data)
    if done.code > 1:
        raise git.failed(("check-ignore",), done)
    return frozenset(split_names(done.out))


def write_tree(git: Git) -> str:
    """One process."""
    return git.text("write-tree")


@contextlib.contextmanager
def scratch(git: Git, folder: Path, seed: Path | None) -> Iterator[Git]:
    """Git over an index of its own for a moment, begun as a copy of `seed`."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="index-") as own:
        path = Path(own) / "index"
        if seed is not None:
            copy(seed, path)
        yield git.using(path)


@contextlib.contextmanager
def keeping_time(git: Git) -> Iterator[None]:
    """Write to an index over another work tree, and leave the index as old as it was.

    Git looks at a file's content if it is no older than the index: it may have changed in the very
    second it was staged. When git rewrites the index it looks for the last time. Over another
    work tree there is nothing to look at, and an index that got younger would hide the change.
    """
    path = git.index or git.git_dir / "index"
    before = path.stat() if path.exists() else None
    try:
        yield
    finally:
        if before is not None:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def heal(own: Git, users: Git) -> None:
    """Make an index again that is gone or, after a power cut, half. One process if it is whole."""
    path = own.index
    if path is None or (path.exists() and is_whole(own)):
        return
    if is_whole(users):
        copy(users.index or users.git_dir / "index", path)
    else:
        path.unlink(missing_ok=True)
        own.run("read-tree", "HEAD")


def is_whole(git: Git) -> bool:
    """Whether git can read it; one that does not exist is empty."""
    return git.ask("ls-files", "--cached", "-z", "--", ".git").code == 0


def copy(source: Path, target: Path) -> None:
    """With its times: git trusts a file's entry only if the file is older than the index.

    In one step: half an index would stop the run that recovers from a kill.
    """
    unfinished = target.with_name(f".{target.name}{files.UNFINISHED}")
    try:
        shutil.copy2(source, unfinished)
        unfinished.replace(target)
    except FileNotFoundError:
        target.unlink(missing_ok=True)  # an empty index is no file
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise files.explain(error, target) from error


def replace_users(source: Path, target: Path) -> None:
    """Put our index in the place of the user's, by git's own locking rule."""
    lock = target.with_name(f"{target.name}.lock")
    _take(lock)
    try:
        shutil.copy2(source, lock)
        lock.replace(target)
    except OSError as error:
        lock.unlink(missing_ok=True)
        raise files.explain(error, target) from error


def _take(lock: Path) -> None:
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        except FileExistsError:
            if time.monotonic() > until:
                raise RepoError(
                    f"Another git command holds {lock}.",
                    fix="Wait for it, or remove that file if no git runs; then `ralph run` again.",
                ) from None
            time.sleep(0.01)
        except OSError as error:
            raise files.explain(error, lock) from error
        else:
            return
