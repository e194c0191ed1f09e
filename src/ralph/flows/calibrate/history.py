"""Commits that were made long ago, each as a task and the work that was done for it."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.task import Kind, Task
from ralph.plans.fields import kind_of_title
from ralph.proof.paths import is_ci, is_words
from ralph.repo import Candidate, diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.repo import Repo

_FIELDS = "%H%x00%P%x00%T%x00%s%x00%b%x00%x00"
_LOOKED_AT = 20
"""Commits that are looked at for each one that is wanted: many change only words."""
_TITLE = 200
_BODY = 4_000


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


def past(repo: Repo, most: int, start: str = "HEAD", listed: Sequence[str] = ()) -> Iterator[Past]:
    """The last commits that change more than words, the newest first; merges have no place here.

    With `listed`, of these alone.
    """
    flags = ("--no-merges", f"--max-count={most * _LOOKED_AT}", f"--format={_FIELDS}")
    chosen = ("--no-walk=unsorted", *listed) if listed else (start,)
    told = repo.git.run("log", *flags, *chosen).decode("utf-8", "replace")
    found = 0
    for entry in told.split("\0\0\n"):
        parts = entry.split("\0")
        if len(parts) < len(Past.__struct_fields__) - 1 or len(parts[1].split()) != 1:
            continue
        commit, parent, tree, subject, body = parts[:5]
        files = diff.between(repo.git, parent, commit).files
        if all(is_words(one.path) or is_ci(one.path) for one in files):
            continue
        yield Past(commit, parent, tree, subject, body.strip(), files)
        found += 1
        if found == most:
            return
