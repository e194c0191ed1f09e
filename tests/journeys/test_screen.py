"""The screen of a run, in a terminal of each size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.support.project import BLOCK, FINISH, Project, wait_until
from tests.support.terminal import Terminal
from tests.support.tmux import ralph

if TYPE_CHECKING:
    from pathlib import Path

WAITS = (
    'touch "$state/started"\necho "Reading the 漢字 of the plan"\n'
    'while [ ! -e "$state/go" ]; do sleep 0.02; done\n' + FINISH
)
ASKS_THEN_WAITS = f"if [ $n = 1 ]; then\n{BLOCK}exit 0\nfi\n{WAITS}"
PARKS = ("--on-escalation", "park")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (40, "  US-002 · agent at work · 0:01 · 0/3 · 1?"),
        (80, "  US-002 · agent at work · 0:01 · ░░░░░ 0/3 · next US-003 · 1 question"),
        (
            200,
            (
                "  US-002 · agent at work · 0:01 · ░░░░░ 0/3 · next US-003 · 1 question"
                " · Reading the 漢字 of the plan"
            ),
        ),
    ],
)
def test_the_line_at_the_bottom_fits(tmp_path: Path, columns: int, line: str) -> None:
    line = line.replace("agent at work", "at work") if columns == 40 else line
    project = Project(tmp_path, 3, agent=ASKS_THEN_WAITS)
    with ralph(project, *project.arguments(*PARKS), size=(columns, 30)) as pane:
        pane.wait_for("━━ Iteration 2")
        # a second may pass between two looks
        seen = re.escape(line).replace("0:01", r"0:\d\d")
        wait_until(lambda: re.search(rf"^{seen}$", pane.screen(), re.MULTILINE) is not None, line)
        pane.press("C-c")
        (project.state / "go").touch()
        pane.wait_for("1 question waits in")
        shown = pane.shown()
    assert "at work ·" not in shown, "it is gone when there is nothing more to say"
    assert re.search(r"━━ Stopped on request\n    \d+ s · 2 iterations · cost unknown\n", shown)
    assert "1 unproven, 2 open" in shown
    assert "US-001  Write" not in shown


def test_a_terminal_that_changes_its_size_keeps_no_half_lines(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    with ralph(project, *project.arguments(), size=(120, 30)) as pane:
        pane.wait_for("· next US-002 · Reading the 漢字 of the plan")
        pane.resize(40, 30)
        pane.wait_for("US-001 · agent at work · 0:0")
        pane.wait_for_no("Reading")
        pane.resize(90, 30)
        pane.wait_for("· next US-002")
        pane.resize(40, 30)
        (project.state / "go").touch()
        pane.wait_for("All tasks are done")
        pane.wait_for("`git merge ralph/journey`")
        log = pane.shown()
    assert "at work" not in log
    assert "Reading" not in log
    lines = log.splitlines()
    assert "  ✓ US-002 is done · green ·" in [line[:28] for line in lines]
    at = lines.index("    Take it over: `git switch main`,")
    assert lines[at + 1] == "    then `git merge ralph/journey`.", "broken between words"


def test_a_terminal_without_colour_or_movement_gets_the_log_alone(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=f"sleep 1.2\n{FINISH}")
    with Terminal(project, *project.arguments(), term="dumb") as person:
        assert person.end() == 0
    assert "US-001 is done" in person.shown
    assert "\x1b" not in person.shown
    assert "agent at work" not in person.shown


def test_without_colour_the_line_is_there_all_the_same(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=WAITS)
    with Terminal(project, *project.arguments(), term="xterm") as person:
        person.wait_for("US-001 · agent at work · 0:01 · ░░░░░ 0/1 · Reading")
        (project.state / "go").touch()
        assert person.end() == 0
    assert not re.search(r"\x1b\[[0-9;]*m", person.shown), "NO_COLOR is set"


def test_piped_lines_stay_whole(tmp_path: Path) -> None:
    title = "A title that is longer than any terminal is wide " * 4
    project = Project(tmp_path, [{"id": "US-001", "title": title, "passes": False}])
    done = project.run(env={"COLUMNS": "40"})
    assert f"Iteration 1: US-001 {title.strip()}" in done.out


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_question_fits_and_is_answered(tmp_path: Path, columns: int) -> None:
    long = "The old API is deprecated, and nobody has written down which of the two is meant here"
    asks = BLOCK.replace("The old API is deprecated", long)
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then\n{asks}exit 0\nfi\n{FINISH}")
    own = project.arguments("--on-escalation", "ask")
    with ralph(project, *own, size=(columns, 40)) as pane:
        pane.wait_for("Choice:")
        words = " ".join(pane.shown().split())
        pane.type("1")
        pane.press("Enter")
        pane.wait_for("All tasks are done")
        after = " ".join(pane.shown().split())
    assert long in words, "no word is broken"
    assert "[1-2] Select option" in words
    assert "(with guidance)" in after
