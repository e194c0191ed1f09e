"""Git processes that stay: a question costs a line, where a process of its own costs a start."""

from __future__ import annotations

import threading
import uuid
import weakref
from functools import partial
from typing import TYPE_CHECKING

from ralph.repo.beside import beside

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from ralph.repo.git import Git

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
