"""The real Claude Code in a real terminal: tmux holds it, tests type and look."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Self

from tests.support.claude import MODEL, program
from tests.support.project import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.testing import Endpoint

SIZE = ("-x", "160", "-y", "50")


class Screen:
    """One session in `home/work`; it has been trusted and its key approved."""

    def __init__(
        self, home: Path, environment: dict[str, str], *flags: str, path: str = ""
    ) -> None:
        work, config = home / "work", home / "config"
        for folder in (work, config, home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        _approve(config, work, environment.get("ANTHROPIC_API_KEY", ""))
        self._socket = str(home / "tmux")
        own = {
            "PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"],
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(config),
            "TMPDIR": str(home / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        words = [program(), "--model", MODEL, "--permission-mode", "acceptEdits", *flags]
        self._command = ["new-session", "-d", *SIZE, "-c", str(work), *words]
        self._environment = environment | own

    def __enter__(self) -> Self:
        self._tmux(*self._command)
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def shown(self) -> str:
        return self._tmux("capture-pane", "-p", "-S", "-500")

    def wait_for(self, text: str) -> None:
        try:
            wait_until(lambda: text in self.shown(), text)
        except AssertionError as error:
            error.add_note(self.shown())
            raise

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        # a line that comes all at once is taken for a paste: Enter must be a key of its own
        self.wait_for(text)
        self._tmux("send-keys", "Enter")

    def escape(self) -> None:
        self._tmux("send-keys", "Escape")

    def wait_for_file_to_go(self, path: Path) -> None:
        wait_until(lambda: not path.exists(), f"{path} to go")

    def wait_for_requests(self, endpoint: Endpoint, number: int) -> None:
        wait_until(lambda: len(endpoint.requests) >= number, f"request {number}")

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, "-f", os.devnull, *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout


def _approve(config: Path, work: Path, key: str) -> None:
    """What a person would have answered when the program was started for the first time."""
    answers = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
        "projects": {str(work): {"hasTrustDialogAccepted": True}},
    }
    (config / ".claude.json").write_text(json.dumps(answers), encoding="utf-8")
