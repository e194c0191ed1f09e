"""A program in a real terminal: tmux holds it, tests type, click, look and pull at its edges."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.support.claude import MODEL, program
from tests.support.project import RALPH, wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.support.project import Project

    from ralph.testing import Endpoint


class Pane:
    """One program in one pane of a tmux of its own."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        command: Sequence[str],
        *,
        at: Path,
        size: tuple[int, int] = (80, 24),
    ) -> None:
        self._socket = str(folder / "tmux")
        self._environment = dict(environment)
        columns, lines = map(str, size)
        self._command = ["new-session", "-d", "-x", columns, "-y", lines, "-c", str(at), *command]

    def __enter__(self) -> Self:
        self._tmux(*self._command)
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def shown(self) -> str:
        """What is on the screen, and what has left it at the top."""
        return self._tmux("capture-pane", "-p", "-S", "-500")

    def screen(self) -> str:
        """What is on the screen now."""
        return self._tmux("capture-pane", "-p")

    def wait_for(self, text: str) -> None:
        try:
            wait_until(lambda: text in self.shown(), text)
        except AssertionError as error:
            error.add_note(self.shown())
            raise

    def wait_for_no(self, text: str) -> None:
        try:
            wait_until(lambda: text not in self.screen(), f"{text} to go")
        except AssertionError as error:
            error.add_note(self.screen())
            raise

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        # a line that comes all at once is taken for a paste: Enter must be a key of its own
        self.wait_for(text)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """Keys by the names that tmux has for them."""
        self._tmux("send-keys", *keys)

    def click(self, text: str) -> None:
        """Press and release the left button on the first place where this is shown."""
        self.wait_for(text)
        lines = self.screen().splitlines()
        row = next(number for number, line in enumerate(lines) if text in line)
        column = lines[row].index(text) + 1
        for ending in "Mm":
            self._tmux("send-keys", "-l", f"\x1b[<0;{column + 1};{row + 1}{ending}")

    def resize(self, columns: int, lines: int = 24) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def signal(self, number: int) -> None:
        """To the program that the shell of this pane runs."""
        shell = self._tmux("display-message", "-p", "#{pane_pid}").strip()
        child = Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="utf-8").split()[0]
        os.kill(int(child), number)

    def ended(self) -> int:
        """Wait for the program; its exit code, as the shell says it where it was before."""
        self.wait_for("ended with ")
        return int(self.shown().rpartition("ended with ")[2].split()[0])

    def escape(self) -> None:
        self.press("Escape")

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, "-f", os.devnull, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout


class Screen(Pane):
    """The real Claude Code in `home/work`; it has been trusted and its key approved."""

    def __init__(
        self, home: Path, environment: dict[str, str], *flags: str, path: str = ""
    ) -> None:
        work, config = home / "work", home / "config"
        for folder in (work, config, home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        _approve(config, work, environment.get("ANTHROPIC_API_KEY", ""))
        own = {
            "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"],
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(config),
            "TMPDIR": str(home / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        words = [program(), "--model", MODEL, "--permission-mode", "acceptEdits", *flags]
        super().__init__(home, environment | own, words, at=work, size=(160, 50))

    def wait_for_file_to_go(self, path: Path) -> None:
        wait_until(lambda: not path.exists(), f"{path} to go")

    def wait_for_requests(self, endpoint: Endpoint, number: int) -> None:
        wait_until(lambda: len(endpoint.requests) >= number, f"request {number}")


SHELL = ("sh", "-c", 'trap : INT; "$@"; echo "ended with $?"; exec sleep 600', "sh")
"""What the program printed can be looked at when it has ended, and what it left of the terminal."""


def ralph(
    project: Project, *arguments: str, size: tuple[int, int] = (80, 24), **environment: str
) -> Pane:
    """The installed program, as started from a shell."""
    own = {**project.env, "TERM": "xterm-256color", "LANG": "C.UTF-8", **environment}
    command = [*SHELL, str(RALPH), *arguments]
    return Pane(project.folder, own, command, at=project.root, size=size)


def _approve(config: Path, work: Path, key: str) -> None:
    """What a person would have answered when the program was started for the first time."""
    answers = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
        "projects": {str(work): {"hasTrustDialogAccepted": True}},
    }
    (config / ".claude.json").write_text(json.dumps(answers), encoding="utf-8")
