"""Nobody is there: the terminal goes away, the machine goes down."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.support.project import ASKS_FIRST, FINISH, PATIENCE, Project, wait_until
from tests.support.terminal import CONTROLLING, Terminal

WAITS = 'touch "$state/started"\nwhile [ ! -e "$state/go" ]; do sleep 0.02; done\n' + FINISH


def _ignore_hang_up() -> None:
    """What `nohup` does before it starts a program."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _heed_hang_up() -> None:
    """As a program in a terminal does, also where these tests themselves run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _crashes(project: Project) -> list[Path]:
    return [*Path(project.env["RALPH_HOME"]).glob("crashes/*")]


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


def test_without_its_terminal_it_goes_on(tmp_path: Path) -> None:
    """A connection is lost that brought no signal: what is printed goes nowhere."""
    project = Project(tmp_path, 2, agent=WAITS)
    with Terminal(project, *project.arguments()) as person:
        _is_started(project)
        person.hang_up()
        (project.state / "go").touch()
        assert person.process.wait(timeout=PATIENCE) == 0
    assert project.passed() == ["US-001", "US-002"]
    assert not _crashes(project)


def test_with_the_signal_that_its_terminal_is_gone_it_leaves(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=f"echo half > half.txt\n{WAITS}")
    with Terminal(project, *project.arguments(), prefix=CONTROLLING) as person:
        _is_started(project)
        person.hang_up()
        wait_until(lambda: bool(project.events("RunEnded")), "its end")
        person.process.wait(timeout=PATIENCE)
    assert project.reason() == "interrupted"
    assert not _crashes(project)
    [salvage] = project.events("Salvaged")
    assert project.git("show", f"{salvage['ref']}:half.txt") == "half"


def test_a_question_on_a_terminal_that_is_lost_is_parked(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST)
    with Terminal(project, *project.arguments()) as person:
        person.wait_for("Choice:")
        person.hang_up()
        assert person.process.wait(timeout=PATIENCE) == 5
    assert project.passed() == ["US-002"]
    assert not _crashes(project)


@pytest.mark.parametrize("code", [143, 130])
def test_an_agent_that_was_asked_to_stop_has_not_failed(tmp_path: Path, code: int) -> None:
    """Somebody ended it by hand: the task is tried anew, and its attempts are not used up."""
    settings = {"loop": {"max_attempts": 1, "backoff_cap_seconds": 0.05}}
    body = f"test $n -lt 3 && exit {code}\n{FINISH}"
    project = Project(tmp_path, agent=body, settings=settings)

    done = project.run()

    assert done.code == 0, done.out + done.err
    assert f"the agent was stopped by a signal (exit code {code})" in done.out
    assert project.outcomes() == ["interrupted", "interrupted", "success"]


def test_an_agent_that_is_always_stopped_ends_the_run(tmp_path: Path) -> None:
    settings = {"loop": {"backoff_cap_seconds": 0.05}}
    project = Project(tmp_path, agent="exit 143\n", settings=settings)
    assert project.run().code == 4
    assert project.reason() == "consecutive_errors"
    assert len(project.calls()) == 5


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
