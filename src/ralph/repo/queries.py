"""Questions to the repository that change nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph.repo import refs
from ralph.repo.diff import GITLINK
from ralph.repo.git import split_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.repo.git import Git
    from ralph.repo.repository import Repo


DEPENDENCIES = (".venv/", "venv/", "node_modules/")


def ignored(repo: Repo) -> tuple[str, ...]:
    """What is in the user's checkout and in no commit: what git ignores, submodules, and folders of
    dependencies that nobody told git to ignore.

    Whole folders end with a slash.
    """
    flags = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    ignored = split_names(repo.git.run("ls-files", *flags))
    ignored += tuple(name for name in dependencies(repo) if name not in ignored)
    return (*ignored, *_submodules(repo)) if (repo.root / ".gitmodules").exists() else ignored


def dependencies(repo: Repo) -> tuple[str, ...]:
    """Folders of dependencies in the user's checkout that are in no commit, ignored or not."""
    found = [name for name in DEPENDENCIES if (repo.root / name).is_dir()]
    if not found:
        return ()
    return split_names(repo.git.run("ls-files", "--others", "--directory", "-z", "--", *found))


def _submodules(repo: Repo) -> Iterator[str]:
    """Those that are there, and not only an empty folder."""
    for entry in split_names(repo.git.run("ls-files", "--stage", "-z")):
        mode, name = entry.partition(" ")[0], entry.partition("\t")[2]
        if mode == GITLINK and any((repo.root / name).glob("*")):
            yield f"{name}/"


def search(git: Git, commit: str, pattern: str, endings: Iterable[str]) -> list[tuple[str, str]]:
    """The lines that hold the pattern, in files with these endings."""
    plain = (
        "--no-color",
        "--no-line-number",
        "--no-column",
        "--full-name",
        "--no-recurse-submodules",
    )
    what = ("-I", "-z", "-E", "-e", pattern, commit, "--", *(f"*{ending}" for ending in endings))
    done = git.ask("--no-literal-pathspecs", "grep", *plain, *what)
    if done.code > 1:  # with 1 it says that there is none
        raise git.failed(("grep",), done)
    lines = (line.partition("\0") for line in os.fsdecode(done.out).split("\n"))
    return [(name.partition(":")[2], text) for name, _, text in lines if text]


def parent_of(repo: Repo, commit: str) -> str:
    return repo.git.text("rev-parse", "--verify", f"{commit}^").strip()


def ledger_trailers(repo: Repo, branches: Iterable[str]) -> list[tuple[str, str]]:
    """The commits on these branches that name a place in the ledger, and that place.

    Without any: those on every branch.
    """
    named = [f"refs/heads/{branch}" for branch in branches if branch]
    there = [ref for ref in named if refs.read(repo.git, repo.common_dir, ref) is not None]
    if named and not there:
        return []
    form = "--format=%H %(trailers:key=Ralph-Ledger,valueonly,separator=%x20)"
    lines = repo.git.text("log", form, *(there or ["--branches"])).splitlines()
    pairs = (line.split() for line in lines)
    return [(words[0], words[-1]) for words in pairs if len(words) > 1]


def show_salvage(repo: Repo, ref: str) -> str:
    """What is kept there and on no branch: one commit of work, or all that a revert took away."""
    flags = ("--stat", "--patch", "--no-ext-diff", "--no-textconv")
    return repo.git.text("log", *flags, ref, "--not", "--branches")
