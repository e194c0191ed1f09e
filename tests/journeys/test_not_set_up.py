"""A repository in which nobody ran `ralph init`: no command leaves anything there that git sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.project import Project

from ralph.ui.cli.main import COMMANDS

if TYPE_CHECKING:
    from pathlib import Path

WORDS = {
    "answer": "Q1 --retry",
    "audit": "",
    "baseline": "accept",
    "calibrate": "--commits 1 --verify true",
    "checkpoint": "list",
    "completion": "bash",
    "config": "",
    "conformance": "--list",
    "cost": "",
    "doctor": "",
    "execute": "feature --agent-command true",
    "flow": "page.yaml",
    "gc": "",
    "handoff": "",
    "health": "",
    "hooks": "status",
    "import": "notes.md",
    "inbox": "",
    "interview": "feature --agent-command true",
    "lint": "",
    "logs": "",
    "mask": "",
    "notify": "test",
    "nudge": "look at the clock",
    "pause": "",
    "plan": "notes.md --agent-command true",
    "pr": "--dry-run",
    "report": "",
    "resume": "",
    "retry": "--task US-001",
    "revert": "--iteration 0",
    "review": "app.py --agent-command true --no-fix",
    "run": "--once --verify true --agent-command true",
    "salvage": "list",
    "skip": "--task US-001",
    "squash": "",
    "status": "",
    "stop": "",
    "sync": "",
    "tokens": "",
    "trust": "--show",
    "watch": "",
}
ELSEWHERE = {"demo", "init", "serve"}
"""What makes a repository of its own, is there to set one up, or does not end by itself."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    (made.root / ".gitignore").unlink()
    made.write("app.py", "VALUE = 1\n")
    made.write("notes.md", "# Notes\n\nNothing to be done.\n")
    made.commit("Start over")
    return made


def test_nothing_is_left_by_any_command(project: Project) -> None:
    assert WORDS.keys() | ELSEWHERE == COMMANDS.keys(), "every command is tried here"
    for command, words in (*WORDS.items(), *WORDS.items()):  # the second time there was a run
        done = project.ralph(command, *words.split())
        assert done.code in (0, 1, 2, 4, 5), (command, done.err)
        assert "Traceback" not in done.err, command
        seen = project.git("status", "--porcelain", "--untracked-files=all")
        assert not [one for one in seen.splitlines() if ".ralph" in one or ".agent" in one], command
