"""The real Claude Code, headless, driven line by line."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Event = dict[str, Any]

PATIENCE = 60.0
MODEL = "claude-opus-5-5"
FLAGS = (
    *("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--model", MODEL, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"),
)
INTERRUPT = {
    "type": "control_request",
    "request_id": "interrupt-1",
    "request": {"subtype": "interrupt"},
}


def program() -> str:
    """Where the wheel `claude-agent-sdk` keeps it; the wheel's own code is not imported."""
    spec = find_spec("claude_agent_sdk")
    assert spec is not None, "claude-agent-sdk is not installed: run `make test`, or install it"
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "_bundled" / "claude")


class Ended(NamedTuple):
    """How the program ended."""

    exit: int
    stderr: str
    events: list[Event]

    @property
    def result(self) -> Event:
        """Its last result."""
        return [event for event in self.events if event["type"] == "result"][-1]


class Claude:
    """One process; it works in `home/work` and keeps its own things beside it."""

    def __init__(self, home: Path, environment: dict[str, str], *flags: str) -> None:
        self.work = home / "work"
        self.events: list[Event] = []
        self._errors = home / "stderr"
        self._command = [program(), *FLAGS, *flags]
        self._environment = environment | {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(home / "config"),
            "TMPDIR": str(home / "tmp"),
        }
        for folder in (self.work, home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                self._command,
                cwd=self.work,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._patience = threading.Timer(PATIENCE, self._process.kill)
        self._patience.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.terminate()
        self._patience.cancel()

    def send(self, line: Event) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()

    def say(self, text: str) -> None:
        self.send({"type": "user", "message": {"role": "user", "content": text}})

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """Read on to the event that is wanted."""
        for event in self._read():
            if wanted(event):
                return event
        raise AssertionError(f"It ended without the event that was wanted: {self.events}")

    def finish(self) -> Ended:
        """Close its input and read to the end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        for _ in self._read():
            pass
        status = self._process.wait()
        return Ended(status, self._errors.read_text(encoding="utf-8"), self.events)

    def _read(self) -> Iterator[Event]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))
            yield self.events[-1]


def ask(home: Path, environment: dict[str, str], prompt: str, *flags: str) -> Ended:
    """One prompt, to the end."""
    with Claude(home, environment, *flags) as claude:
        claude.say(prompt)
        return claude.finish()


def calls_a_tool(event: Event) -> bool:
    if event["type"] != "assistant":
        return False
    return any(block["type"] == "tool_use" for block in event["message"]["content"])
