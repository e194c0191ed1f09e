"""`ralph watch` in a real terminal, beside a run."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest
from tests.support.project import BLOCK, FINISH, PATIENCE, Project, wait_until
from tests.support.tmux import ralph

if TYPE_CHECKING:
    from pathlib import Path

WORKS = (
    'mkdir -p out\necho "for $RALPH_TASK_ID" > "out/$RALPH_TASK_ID.txt"\n'
    'echo "Looking at [bold]the plan[/bold]"\n'
    'while [ ! -e "$state/go" ]; do sleep 0.02; done\n'
    'echo "Task $RALPH_TASK_ID complete"\n'
)
ASKS = f"if [ $n = 1 ]; then\n{BLOCK}exit 0\nfi\n{WORKS}"
PARKS = ("--on-escalation", "park")
AT_WORK = {
    40: "US-002 · at work · 0:0",
    80: "US-002 · agent at work · 0:0",
    200: "US-002 · agent at work · 0:0",
}


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_question_is_answered_with_keys_and_the_loop_goes_on(
    tmp_path: Path, columns: int
) -> None:
    project = Project(tmp_path, 2, agent=ASKS)
    running = project.start(*PARKS)
    with ralph(project, "watch", size=(columns, 30)) as pane:
        pane.wait_for(AT_WORK[columns])
        pane.wait_for("? US-001")
        pane.wait_for("▶ US-002")
        pane.wait_for("Questions 1")
        assert all(len(line) <= columns for line in pane.screen().splitlines())
        if columns == 200:
            pane.wait_for("0/2 · 1 question · Looking at [bold]the plan[/bold]")
            pane.press("End")
            pane.wait_for("new: out/US-002.txt")

        pane.press("a")
        pane.wait_for("2  Use v1 anyway")
        pane.wait_for("Which version?")
        pane.press("Down", "Enter")
        pane.wait_for("Answered Q1.")
        (project.state / "go").touch()
        running.communicate(timeout=PATIENCE)
        pane.wait_for("no loop is at work")
        pane.press("2")
        pane.wait_for("US-001 is done")
        pane.press("q")
        assert pane.ended() == 0
    assert running.returncode == 0
    assert [one["reply"]["option"] for one in project.events("Answered")] == [2]
    assert "Use v1 anyway" in project.prompt(3)


def test_pause_resume_help_a_mouse_and_another_size(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=WORKS)
    running = project.start()
    with ralph(project, "watch", size=(80, 30)) as pane:
        pane.wait_for("US-001 · agent at work")
        pane.press("p")
        pane.wait_for("Journey · pauses after this iteration")
        pane.wait_for("Looking at [bold]the plan[/bold]")

        pane.press("?")
        pane.wait_for("nudge: tell the agent at work something")
        pane.escape()
        pane.wait_for_no("nudge: tell")

        pane.click("Task ")
        pane.click("· US-002  Write")
        pane.wait_for("The file out/US-002.txt must be there")
        pane.resize(40, 30)
        pane.wait_for_no("US-001  Write")
        pane.click("Tasks")
        pane.wait_for("▶ US-001  Write the file of US-001")
        pane.resize(200, 30)
        pane.wait_for("│ ▶ US-001  Write the file of US-001")

        (project.state / "go").touch()
        pane.wait_for("‖ paused for")
        assert running.poll() is None
        pane.press("r")
        running.communicate(timeout=PATIENCE)
        pane.wait_for("✓ US-002  Write the file of US-002")
        pane.press("p")
        pane.wait_for("No loop is running on")
        pane.signal(signal.SIGTERM)
        assert pane.ended() == 0
    assert running.returncode == 0
    assert len(project.events("PauseRequested", "ResumeRequested")) == 2


def test_it_waits_for_a_run_and_sees_the_next_one_too(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, agent=FINISH)
    with ralph(project, "watch", size=(120, 40)) as pane:
        pane.wait_for("Not started")
        assert project.run("--once").code == 0
        pane.wait_for("✓ US-001  Write the file")
        pane.press("End", "x")
        pane.wait_for("Skip US-003?")
        pane.press("Enter")
        pane.wait_for("US-003 is skipped.")
        assert project.run().code == 0
        pane.wait_for("✓ US-002  Write the file")
        pane.wait_for("- US-003  Write the file")
        wait_until(lambda: len(re.findall("Ralph · Journey", pane.screen())) == 2, "both runs")
        pane.press("C-c")
        assert pane.ended() == 0
    assert [one["task"] for one in project.events("TaskSkipped")] == ["US-003"]


def test_without_a_terminal_it_names_what_works_there(tmp_path: Path) -> None:
    done = Project(tmp_path).ralph("watch")
    assert done.code == 1
    assert "ralph status" in done.err
    assert "ralph logs --follow" in done.err
    assert len(done.err.splitlines()) <= 3
