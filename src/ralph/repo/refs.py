"""Refs: cheap reading, compare-and-swap writing, and what is kept under refs/ralph/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import RepoError
from ralph.repo.commit import message, one_line, ref_path, trailers
from ralph.repo.git import DURABLE

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo.git import Git

SALVAGE = "refs/ralph/salvage/"
CHECKPOINTS = "refs/ralph/checkpoint/"
_HEX = frozenset("0123456789abcdef")
_FORMAT = "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents)%00"
_FIELDS = 4


class Salvage(Struct, frozen=True):
    """Work that is kept under a ref of its own."""

    ref: str
    commit: str
    when: float = 0
    why: str = ""
    task: str = ""
    iteration: int = 0
    run: str = ""


class Origin(Struct, frozen=True):
    """Where kept work comes from; written into its commit."""

    run: str = ""
    task: str = ""
    iteration: int = 0


def read(git: Git, common_dir: Path, ref: str) -> str | None:
    """The commit a ref names. No process if it is a loose file, else one."""
    name = symbolic(git.git_dir) if ref == "HEAD" else ref
    if name is not None and not name.startswith("refs/"):
        return name  # a detached HEAD
    value = line(common_dir / name) if name else None
    if value and _is_oid(value):
        return value
    done = git.ask("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    return done.out.decode().strip() or None


def symbolic(git_dir: Path) -> str | None:
    """What HEAD says: a ref, or a commit if it is detached. None if it cannot be read."""
    value = line(git_dir / "HEAD")
    if value is None:
        return None
    if value.startswith("ref: "):
        return value.removeprefix("ref: ")
    return value if _is_oid(value) else None


def swap(git: Git, ref: str, new: str, old: str, why: str) -> None:
    """Move a ref if it still is where we saw it (`""`: if it does not exist). One process."""
    done = git.set(*DURABLE).ask("update-ref", "-m", f"ralph: {one_line(why)}", ref, new, old)
    if not done.code:
        return
    if "but expected" in done.err and git.text("rev-parse", "--verify", ref) == new:
        return  # an earlier try got as far as that
    if "but expected" in done.err or "reference already exists" in done.err:
        raise RepoError(
            f"{ref.removeprefix('refs/heads/')} was moved by someone else; nothing was changed.",
            fix=f"Look at `git log {ref}`, then run the same command again.",
        )
    raise git.failed(("update-ref", ref), done)


def commit_tree(git: Git, tree: str, parent: str, text: str) -> str:
    """One process."""
    data = text.encode("utf-8", "replace")
    return git.text("commit-tree", tree, "-p", parent, stdin=data)


def keep(git: Git, tree: str, parent: str, name: str, why: str, origin: Origin) -> Salvage:
    """A commit of `tree` on `parent` under refs/ralph/salvage/. Two processes.

    The caller has made sure that the tree itself is on the disk.
    """
    text = message(
        "salvage",
        why,
        why if len(why) > len("salvage: ") else "",
        {
            "Ralph-Run": origin.run,
            "Ralph-Task": origin.task,
            "Ralph-Iteration": str(origin.iteration or ""),
            "Ralph-Why": why,
        },
    )
    safe = git.set(*DURABLE)
    commit = commit_tree(safe, tree, parent, text)
    ref = _claim(safe, f"{SALVAGE}{ref_path(name)}", commit)
    return Salvage(ref, commit, 0, one_line(why), origin.task, origin.iteration, origin.run)


def listed(git: Git, prefix: str = SALVAGE) -> tuple[Salvage, ...]:
    """Everything kept below a prefix, newest first. One process."""
    out = git.run("for-each-ref", "--sort=-committerdate", f"--format={_FORMAT}", prefix)
    parts = out.decode("utf-8", "replace").split("\0")
    whole = len(parts) // _FIELDS * _FIELDS
    return tuple(
        _salvage(*(part.strip("\n") for part in parts[i : i + _FIELDS]))
        for i in range(0, whole, _FIELDS)
    )


def find(git: Git, ref: str) -> Salvage:
    """One kept piece of work, by its whole ref or the part after refs/ralph/salvage/."""
    full = ref if ref.startswith("refs/") else f"{SALVAGE}{ref}"
    found = next((s for s in listed(git, full) if s.ref == full), None)
    if found is None:
        raise RepoError(
            f"There is no salvage named {ref}.", fix="`ralph salvage list` shows what is kept."
        )
    return found


def drop(git: Git, ref: str, commit: str) -> None:
    """Remove a ref that still names this commit."""
    git.run("update-ref", "-d", ref, commit)


def _salvage(ref: str, commit: str, when: str, text: str) -> Salvage:
    said = trailers(text)
    number = said.get("Ralph-Iteration", "")
    return Salvage(
        ref,
        commit,
        float(when or 0),
        said.get("Ralph-Why") or text.partition("\n")[0],
        said.get("Ralph-Task", ""),
        int(number) if number.isdigit() else 0,
        said.get("Ralph-Run", ""),
    )


def _claim(git: Git, ref: str, commit: str) -> str:
    """Create the ref under the first free name: nothing that is kept is ever replaced."""
    number = 1
    while True:
        name = ref if number == 1 else f"{ref}-{number}"
        done = git.ask("update-ref", "-m", "ralph: salvage", name, commit, "")
        if not done.code:
            return name
        if "reference already exists" not in done.err and "' exists" not in done.err:
            raise git.failed(("update-ref", name), done)
        number += 1


def line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _is_oid(value: str) -> bool:
    return len(value) in (40, 64) and set(value) <= _HEX
