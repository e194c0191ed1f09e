"""Nobody is there: the terminal goes away, the machine goes down."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.support.project import FINISH, PATIENCE, Project, wait_until

if TYPE_CHECKING:
    from pathlib import Path

WAITS = 'touch "$state/started"\nwhile [ ! -e "$state/go" ]; do sleep 0.02; done\n' + FINISH


def _ignore_hang_up() -> None:
    """What `nohup` does before it starts a program."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _heed_hang_up() -> None:
    """As a program in a terminal does, also where these tests themselves run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _is_started(project: Project) -> None:
    wait_until((project.state / "started").exists, "the agent")


def test_under_nohup_it_outlives_its_terminal(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=WAITS)
    process = project.start(preexec_fn=_ignore_hang_up)
    _is_started(project)

    process.send_signal(signal.SIGHUP)
    (project.state / "go").touch()
    process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert project.passed() == ["US-001"]


def test_otherwise_it_leaves_with_its_terminal(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=WAITS)
    process = project.start(preexec_fn=_heed_hang_up)
    _is_started(project)

    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert project.passed() == []
    assert project.reason() == "interrupted"


def test_status_tells_a_killed_run_from_a_running_one(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=WAITS)
    process = project.start()
    _is_started(project)
    alive = project.ralph("status").out

    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    dead = project.ralph("status").out
    (project.state / "go").touch()

    assert f"running (pid {process.pid})" in alive
    assert "interrupted. Continue with `ralph run`" in dead
