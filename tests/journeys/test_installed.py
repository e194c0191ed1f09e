"""The installed program says what tests hear from `Project.ralph`, which spares its start."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, Project

from ralph.ui.cli.main import COMMANDS

if TYPE_CHECKING:
    from tests.support.project import Done

QUICK: dict[str, tuple[str, ...]] = {
    "lint": (),
    "run": ("--dry-run",),
    "status": ("--json",),
    "health": (),
    "logs": ("1",),
    "report": (),
    "tokens": ("--json",),
    "cost": (),
    "checkpoint": ("list",),
    "audit": (),
    "pause": (),
    "resume": (),
    "stop": (),
    "retry": ("--task", "nobody"),
    "skip": ("--task", "nobody", "--why", "x"),
    "revert": ("nothing",),
    "squash": ("--dry-run",),
    "salvage": ("list",),
    "inbox": ("--json",),
    "answer": ("nothing", "1"),
    "baseline": (),
    "flow": (),
    "sync": ("--status",),
    "hooks": ("status",),
    "gc": ("--dry-run",),
    "mask": (),
    "doctor": ("--help",),
    "trust": ("--show",),
    "completion": ("zsh",),
    "config": (),
}
"""Commands that change nothing, or the same twice; the others are asked for their help."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """With one finished task and one that its agent left."""
    made = Project(tmp_path_factory.mktemp("installed"), 2, agent=f"[ $n = 1 ] || exit 3\n{FINISH}")
    assert made.installed(*made.arguments("--max-iterations", "2")).code == 4
    assert made.passed() == ["US-001"]
    return made


def plain(done: Done) -> tuple[int, str, str]:
    """Without times and sizes."""
    out, err = (re.sub(r"\d[\d.]*", "0", text) for text in (done.out, done.err))
    return done.code, out, err


@pytest.mark.parametrize("command", COMMANDS)
def test_it_says_the_same(project: Project, command: str) -> None:
    words = (command, *QUICK.get(command, ("--help",)))
    installed = project.installed(*words)
    assert installed.out or installed.err or installed.code == 0
    assert plain(project.ralph(*words)) == plain(installed)


def test_what_a_process_takes_in_at_its_start_needs_the_real_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_short_way(**_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("tests.support.warm.Warm.run", no_short_way)
    assert project.ralph("--version", env={"PYTHONUTF8": "1"}).code == 0
