"""What goes wrong says so: at most three lines, no traceback, the right exit code."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support.box import read_only
from tests.support.complaints import (
    FINISHED,
    MISTAKE,
    WAITING,
    assert_complaint,
    assert_nothing_lost,
)
from tests.support.full_disk import PLACES, STORIES, careful, run_out_of_space
from tests.support.project import Project, story

if TYPE_CHECKING:
    from pathlib import Path

NO_WAITING = {"loop": {"backoff_cap_seconds": 0}}


def test_no_plan(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    (project.root / "PRD.json").unlink()
    assert_complaint(project.run(), "PRD.json", "ralph init")
    assert_complaint(project.run("other.json"), "other.json")


def test_broken_json_names_file_and_line(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write("PRD.json", '{\n  "userStories": [\n    {"id": "US-001",}\n  ]\n}\n')
    assert_complaint(project.run(), "PRD.json", "line 3")


def test_unknown_dependency(tmp_path: Path) -> None:
    project = Project(tmp_path / "p", [story("US-001"), story("US-002", dependsOn=["US-404"])])
    assert_complaint(project.run(), "US-002", "US-404")
    assert project.calls() == []


def test_a_cycle_names_its_stories(tmp_path: Path) -> None:
    stories = [
        story("US-001"),
        story("US-002", dependsOn=["US-004"]),
        story("US-003", dependsOn=["US-002"]),
        story("US-004", dependsOn=["US-003"]),
    ]
    done = Project(tmp_path / "p", stories).run()
    assert_complaint(done, "US-002", "US-003", "US-004")
    assert "US-001" not in done.err


def test_not_a_repository(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    (project.root / ".git").rename(project.folder / "elsewhere")
    for command in (project.arguments(), ["status"], ["report"], ["audit"], ["inbox"]):
        assert_complaint(project.ralph(*command), "not inside a git repository")


def test_a_dirty_tree_in_place(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    project.write("README.md", "my unfinished sentence")
    assert_complaint(project.run(), "README.md", "--worktree")
    assert project.read("README.md") == "my unfinished sentence"
    assert project.calls() == []
    assert project.run("--worktree").code == FINISHED
    assert project.read("README.md") == "my unfinished sentence"


def test_the_agent_command_is_not_found(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    done = project.ralph("run", "--agent-command", "no-such-agent --fast", "--verify", "true")
    assert_complaint(done, "no-such-agent", "not found")
    assert project.events() == []


@pytest.mark.parametrize(
    ("agent", "words"),
    [("exit 1\n", ("1",)), ("kill -9 $$\n", ("killed", "SIGKILL"))],
    ids=["exits 1 with nothing", "killed"],
)
def test_an_agent_that_breaks(tmp_path: Path, agent: str, words: tuple[str, ...]) -> None:
    """Three times, then a person is asked; what broke is said each time."""
    project = Project(tmp_path / "p", agent=agent, settings=NO_WAITING)
    done = project.run()
    assert done.code == WAITING, done.out + done.err
    assert len(project.calls()) == 3
    assert done.err == ""
    for event in project.events("AgentFinished"):
        assert all(word in event["error"] for word in words), event["error"]
        assert "\n" not in event["error"]
        assert event["error"] in done.out
    assert project.passed() == []


def test_the_verify_command_is_not_found(tmp_path: Path) -> None:
    """Said before an agent costs anything."""
    project = Project(tmp_path / "p", verify="no-such-check --all")
    assert_complaint(project.run(), "no-such-check", "not found")
    assert project.calls() == []


def test_the_verify_command_times_out_before_any_work(tmp_path: Path) -> None:
    settings = {"verification": {"timeout_minutes": 0.005}}
    project = Project(tmp_path / "p", verify="sleep 60", settings=settings)
    assert_complaint(project.run(), "sleep 60", "timed out after 0.3 s", "timeout_minutes")
    assert project.calls() == []


def test_the_verify_command_times_out_on_the_work(tmp_path: Path) -> None:
    settings = {"verification": {"timeout_minutes": 0.01}}
    check = "test ! -d out || sleep 60"
    project = Project(tmp_path / "p", verify=check, settings=settings)
    done = project.run()
    assert done.code == WAITING, done.out + done.err
    assert "timed out after 0.6 s" in done.out
    assert "timed out after 0.6 s" in project.prompt(2)
    assert project.passed() == []
    assert project.subjects() == []


def test_a_locked_ledger(tmp_path: Path) -> None:
    project = Project(tmp_path / "p", 2)
    assert project.run("--once").code != MISTAKE
    before = project.events()
    with closing(sqlite3.connect(project.home / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert_complaint(project.run(), "ledger.db", "locked")
        assert project.ralph("status").code == FINISHED, "a look needs no lock"
        other.execute("ROLLBACK")
    assert project.events() == before
    assert project.run().code == FINISHED
    assert_nothing_lost(project, 2)


def test_a_ledger_locked_while_an_agent_works(tmp_path: Path) -> None:
    """It cannot write down what happened: that is no success, and nothing is done twice."""
    lock = (
        "import sqlite3, sys, time; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "db.execute('BEGIN IMMEDIATE'); print('Task US-001 complete', flush=True);"
        "time.sleep(3600)"
    )
    project = Project(tmp_path / "p", 2)
    project.agent(
        "mkdir -p out; echo work > out/$RALPH_TASK_ID.txt\n"
        f'test $n = 1 && (setsid python3 -c "{lock}" {project.home}/ledger.db >&2 & sleep 0.5)\n'
        'echo "Task $RALPH_TASK_ID complete"\n'
    )
    # what the agent left running is ended with it, and the lock with that
    done = project.run()
    assert done.code == FINISHED, done.out + done.err
    assert_nothing_lost(project, 2)


@pytest.mark.parametrize("left", [4, 120, 400])
@pytest.mark.parametrize("place", PLACES)
def test_a_full_disk(tmp_path: Path, place: str, left: int) -> None:
    project = careful(tmp_path / "p")
    run_out_of_space(project, place, left)
    assert_nothing_lost(project, STORIES)


@pytest.mark.parametrize("mode", [(), ("--worktree",)], ids=["in place", "worktree"])
def test_a_read_only_repository(tmp_path: Path, mode: tuple[str, ...]) -> None:
    project = Project(tmp_path / "p")
    with read_only(project, project.root) as box:
        assert_complaint(box.run(*mode), "read-only")
        assert box.ralph("status").code == FINISHED, "a look writes nothing"
    assert project.calls() == []
    assert project.run(*mode).code == FINISHED


def test_a_read_only_home(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    with read_only(project, project.home) as box:
        assert_complaint(box.run(), "ledger", "read-only")
    assert project.calls() == []
    assert project.run().code == FINISHED
