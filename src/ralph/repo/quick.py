"""The three questions of every landing, put to git processes that stay for the whole run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.repo import diff, refs
from ralph.repo.commit import one_line
from ralph.repo.git import DURABLE
from ralph.repo.standing import StandingGit, new_mark

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo.git import Git

_DONE = b"start: ok\nprepare: ok\ncommit: ok\n"


class Quick:
    """Answers as the functions of `diff` and `refs` do, which are asked when something is odd."""

    def __init__(self, git: Git, scratch: Path) -> None:
        self._git = git
        self._mark = new_mark()
        self._message = scratch / "commit"
        self._people: tuple[str, str] | None = None
        self._compare = StandingGit(git, "diff-tree", "--stdin", *diff.BETWEEN)
        self._write = StandingGit(git, "hash-object", "-w", "-t", "commit", "--stdin-paths")
        self._move = StandingGit(
            git.set(*DURABLE), "update-ref", "-m", "ralph: land", "--stdin", "-z"
        )

    def changes(self, commit: str, parent: str) -> diff.Changes:
        """What a commit changed."""
        # A line that is no commit is sent back, and with it all that came before.
        answer = self._compare.ask(f"{commit}\n".encode() + self._mark, self._mark)
        if answer is None:
            return diff.between(self._git, parent, commit)
        return diff.changes(answer[len(commit) + 1 :])

    def commit(self, tree: str, parent: str, text: str) -> str:
        people = self._people = self._people or self._ask_who()
        when = f"{int(time.time())} {time.strftime('%z')}"
        author, committer = (f"{who} {when}" for who in people)
        body = text if text.endswith("\n") else f"{text}\n"
        whole = (
            f"tree {tree}\nparent {parent}\nauthor {author}\ncommitter {committer}\n\n{body}"
        ).encode("utf-8", "replace")
        path = str(self._message)
        if b"\0" in whole or "\n" in path:
            return refs.commit_tree(self._git, tree, parent, text)
        self._message.parent.mkdir(parents=True, exist_ok=True)
        self._message.write_bytes(whole)
        answer = self._write.ask(f"{path}\n".encode("utf-8", "surrogateescape"), b"\n")
        return (
            refs.commit_tree(self._git, tree, parent, text) if answer is None else answer.decode()
        )

    def land(self, ref: str, new: str, old: str) -> None:
        """Move a ref if it still is where we saw it."""
        steps = ("start", f"update {ref}", new, old, "prepare", "commit", "")
        question = "\0".join(steps).encode("utf-8", "surrogateescape")
        if self._move.ask(question, _DONE) is None:
            refs.swap(self._git, ref, new, old, "land")

    def _ask_who(self) -> tuple[str, str]:
        author, committer = (
            one_line(self._git.text("var", f"GIT_{role}_IDENT")).rsplit(" ", 2)[0]
            for role in ("AUTHOR", "COMMITTER")
        )
        return author, committer
