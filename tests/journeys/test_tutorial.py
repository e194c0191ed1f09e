"""The tutorial, done as it says: every command is run and shows what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITTEN = ("greet.py", "test_greet.py", "PRD.json", "../agent.py", "../second.py")
"""The files that the page shows, in its order."""
VOLATILE = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{27}\b"), "RUN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,12}\b"), "COMMIT"),
    (re.compile(r"\b\d+(?:\.\d+)? ?s\b"), "TIME"),
    (re.compile(r"\b\d+ events\b"), "N events"),
    # where the tests take long, as on a busy machine, those of the change are run before the rest
    (re.compile(r" -k '[^']*'"), ""),
    (re.compile(r"\bRan \d+ tests?\b"), "Ran N tests"),
    (re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE), ""),  # there where nobody watches
)
REST = "…"
"""A line that stands for any number of lines."""


def settled(text: str) -> str:
    """Without what differs from run to run."""
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines() if line.strip())


def shown(console: str) -> list[tuple[str, str]]:
    """The commands of a block, each with the output shown for it."""
    parts = re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]
    return [(first, rest) for first, _, rest in (part.partition("\n") for part in parts)]


def matches(expected: str, got: str) -> bool:
    pieces = [re.escape(piece.strip("\n")) for piece in settled(expected).split(REST)]
    return re.fullmatch(r".*?".join(pieces), settled(got), re.DOTALL) is not None


class Shell:
    """One terminal: the folder and the last exit code last from command to command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._last = 0
        programs = Path(sys.executable).parent
        self._env = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "NO_COLOR": "1",
            "GIT_PAGER": "cat",
        }

    def run(self, command: str) -> str:
        if command.startswith("mkdir"):
            script, self.folder = command, self.folder / "greeter"
            place = self.folder.parent
        else:
            script, place = command, self.folder
        done = subprocess.run(
            ("/bin/sh", "-c", f"(exit {self._last}); {script}"),
            cwd=place,
            env=self._env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        self._last = done.returncode
        return done.stdout + done.stderr


def test_every_step_of_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    shell, files = Shell(tmp_path), iter(WRITTEN)
    for language, body in FENCE.findall(TUTORIAL.read_text(encoding="utf-8")):
        if language != "console":
            (shell.folder / next(files)).write_text(body, encoding="utf-8")
            continue
        for command, expected in shown(body):
            got = shell.run(command)
            as_shown = not expected.strip() or matches(expected, got)
            assert as_shown, f"$ {command}\n{got}"

    assert next(files, None) is None
    log = shell.run("git log --oneline main")
    assert log.count("feat: ") == 2
