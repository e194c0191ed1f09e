"""A person at a terminal: a program under a pseudo-terminal, what it prints, and typing."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from typing import TYPE_CHECKING, Self

from tests.support.project import PATIENCE, RALPH

if TYPE_CHECKING:
    from types import TracebackType

    from tests.support.project import Project


CONTROLLING = ("setsid", "--ctty", "--wait")
"""As in a shell: Ctrl-C is a signal to whoever has the terminal."""


class Terminal:
    def __init__(
        self, project: Project, *arguments: str, prefix: tuple[str, ...] = (), term: str = "dumb"
    ) -> None:
        self._fd, other = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            (*prefix, str(RALPH), *arguments),
            cwd=project.root,
            env={**project.env, "TERM": term},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._fd)

    def wait_for(self, text: str, times: int = 1) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.shown.count(text) < times:
            assert time.monotonic() < deadline, f"never showed {text!r}:\n{self.shown}"
            assert self._read(), f"ended without {text!r}:\n{self.shown}"

    def type(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        os.write(self._fd, key)

    def hang_up(self) -> None:
        """The terminal goes away."""
        os.close(self._fd)
        self._fd = os.open(os.devnull, os.O_RDONLY)

    def end(self) -> int:
        """Read on until the program ends; its exit code."""
        while self._read():
            pass
        return self.process.wait(timeout=PATIENCE)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._fd], [], [], PATIENCE)
        if not ready:
            return False
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            return False  # the other side is closed
        self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)
