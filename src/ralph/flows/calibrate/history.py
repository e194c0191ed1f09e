"""Commits that were made long ago, each as a task and the work that was done for it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.task import Kind, Task
from ralph.plans.fields import kind_of_title
from ralph.proof.paths import is_ci, is_plan, is_words
from ralph.repo import Candidate, diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.repo import Repo

_FIELDS = "%H%x00%P%x00%T%x00%s%x00%b%x00%x00"
_LOOKED_AT = 20
"""Commits that are looked at for each one that is wanted: many change only words."""
_TITLE = 200
_BODY = 4_000
_OWN = frozenset(("ralph.yaml", ".gitignore"))


class Past(Struct, frozen=True):
    """One commit with one parent."""

    commit: str
    parent: str
    tree: str
    subject: str
    body: str
    files: tuple[diff.FileChange, ...] = ()

    @property
    def task(self) -> Task:
        title = self.subject[:_TITLE]
        return Task(
            id=self.commit[:10],
            title=title,
            description=self.body[:_BODY],
            kind=kind_of_title(title) or Kind.FEATURE,
        )

    @property
    def candidate(self) -> Candidate:
        safe: Future[None] = Future()
        safe.set_result(None)
        return Candidate(
            commit=self.commit,
            tree=self.tree,
            parent=self.parent,
            files=self.files,
            empty=not self.files,
            overrides={},
            seen={},
            safe=safe,
        )


class History(Struct, frozen=True):
    """The commits that are looked at, the newest first, and those between them that are not."""

    commits: tuple[Past, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Commits, each with why."""


def past(repo: Repo, most: int, start: str = "HEAD", listed: Sequence[str] = ()) -> History:
    """The last commits that change more than words; merges have no place here.

    With `listed`, of these alone.
    """
    if not listed and repo.git.ask("rev-parse", "--verify", "--quiet", f"{start}^{{commit}}").code:
        return History(())  # nothing was ever committed
    flags = (f"--max-count={most * _LOOKED_AT}", f"--format={_FIELDS}")
    chosen = ("--no-walk=unsorted", *listed) if listed else (start,)
    told = repo.git.run("log", *flags, *chosen).decode("utf-8", "replace")
    found: list[Past] = []
    left_out: list[tuple[str, str]] = []
    for entry in told.split("\0\0\n"):
        parts = entry.split("\0")
        if len(found) == most or len(parts) < len(Past.__struct_fields__) - 1:
            break
        commit, parents, tree, subject, body = parts[:5]
        parent, *more = parents.split() or [""]
        files = diff.between(repo.git, parent, commit).files if parent and not more else ()
        if why := _unfit(parent, more, files):
            left_out.append((commit, why))
        else:
            found.append(Past(commit, parent, tree, subject, body.strip(), files))
    return History(tuple(found), tuple(left_out))


def _unfit(parent: str, more: Sequence[str], files: Iterable[diff.FileChange]) -> str:
    """Why nothing can be learned from it."""
    if more:
        return "a merge"
    if not parent:
        return "the first commit"
    names = [one.path for one in files]
    if all(is_words(name) or is_ci(name) for name in names):
        return "changes only words or CI"
    own = all(is_words(name) or is_plan(name) or name in _OWN for name in names)
    return "only sets up Ralph" if own else ""
