"""The three questions of every landing, put to git processes that stay for the whole run."""

from __future__ import annotations

import threading
import time
import uuid
import weakref
from functools import partial
from typing import TYPE_CHECKING

from ralph.repo import diff, refs
from ralph.repo.beside import beside
from ralph.repo.commit import one_line
from ralph.repo.git import DURABLE

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
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

    def commit(self, tree: str, parent: str, text: str, author: str = "") -> str:
        people = self._people = self._people or self._ask_who()
        when = f"{int(time.time())} {time.strftime('%z')}"
        own, committer = (f"{who} {when}" for who in people)
        body = text if text.endswith("\n") else f"{text}\n"
        whole = (
            f"tree {tree}\nparent {parent}\nauthor {author or own}\ncommitter {committer}\n\n{body}"
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


CHUNK = 1 << 16


class StandingGit:
    """One git that reads its questions from standard input and answers each before the next.

    It is started by the first question, in another thread (the process room ends what the main
    one left behind). When Ralph is gone, so is its input, and it ends by itself.
    """

    def __init__(self, git: Git, *args: str) -> None:
        self._git = git
        self._args = args
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Callable[[], object] = lambda: None
        self._turn = threading.Lock()

    def ask(self, question: bytes, end: bytes) -> bytes | None:
        """The answer with its last bytes `end` cut off.

        None if this git has ended: an ordinary one, asked the same, says why.
        """
        with self._turn:
            try:
                process = self._process or self._start()
                return _talk(process, question, end)
            except OSError:
                pass
            self._end()
            self._process = None
            return None

    def _start(self) -> subprocess.Popen[bytes]:
        process = beside(partial(self._git.standing, *self._args)).result()
        self._end = weakref.finalize(self, _stop, process)
        self._process = process
        return process


def new_mark() -> bytes:
    """A line that no answer holds."""
    return f"{uuid.uuid4().hex}-end\n".encode()


def _talk(process: subprocess.Popen[bytes], question: bytes, end: bytes) -> bytes:
    put, get = process.stdin, process.stdout
    if put is None or get is None:
        raise BrokenPipeError
    put.write(question)
    answer = bytearray()
    while not answer.endswith(end):
        part = get.read(CHUNK)
        if not part:
            raise BrokenPipeError
        answer += part
    return bytes(answer[: -len(end)])


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Its input ends, and so does it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait()
