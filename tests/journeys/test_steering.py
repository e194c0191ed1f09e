"""A person reaches a running loop, and takes things back afterwards."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.project import ASKS_FIRST, FINISH, PATIENCE, Project, wait_until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

WAITS = f"""\
i=0
while [ ! -e "$state/go" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i+1)); done
{FINISH}"""
"""Works only when it is let go: the test decides how long an iteration takes."""


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended with the test, whatever happens in it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def start(
    project: Project, running: list[subprocess.Popen[str]], *more: str
) -> subprocess.Popen[str]:
    process = project.start(*more)
    running.append(process)
    return process


def let_go(project: Project) -> None:
    (project.state / "go").touch()


def at_work(project: Project, running: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    """A loop whose first agent is working."""
    process = start(project, running)
    wait_until(lambda: bool(project.calls()) or process.poll() is not None, "the first agent")
    assert process.poll() is None, process.communicate()
    return process


def seen(project: Project, kind: str, count: int = 1) -> None:
    wait_until(lambda: len(project.events(kind)) >= count, f"{count} {kind}")


def test_pause_from_a_second_terminal_and_resume(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, 3, agent=WAITS)
    process = at_work(project, running)
    assert project.ralph("pause").code == 0
    let_go(project)
    seen(project, "IterationEnded")
    wait_until(
        lambda: project.ralph("status", "--json").json()["state"] == "paused", "the paused state"
    )
    assert process.poll() is None, "the process stays and waits"
    assert len(project.calls()) == 1
    assert project.passed() == ["US-001"]
    assert project.ralph("resume").code == 0
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert out.count("paused; `ralph resume` continues it") == 1
    assert project.passed() == ["US-001", "US-002", "US-003"]


def paused(project: Project, running: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    process = at_work(project, running)
    assert project.ralph("pause").code == 0
    let_go(project)
    seen(project, "IterationEnded")
    return process


@pytest.mark.parametrize("skips", [False, True])
def test_what_a_person_edits_during_a_pause_stays_theirs(
    tmp_path: Path, running: list[subprocess.Popen[str]], *, skips: bool
) -> None:
    project = Project(tmp_path, 3, agent=WAITS)
    process = paused(project, running)
    project.write("README.md", "mine\n")
    project.write("mine.txt", "mine\n")
    if skips:
        assert project.ralph("skip", "US-002").code == 0
    wait_until(lambda: project.ralph("status", "--json").json()["state"] == "paused", "the pause")
    refused = project.ralph("resume")
    assert refused.code == 1
    assert "Somebody changed README.md, mine.txt" in refused.err
    assert process.poll() is None, "the night goes on once they are out of the way"
    assert project.read("README.md") == project.read("mine.txt") == "mine\n"
    assert project.git("for-each-ref", "refs/ralph/salvage") == ""
    project.git("stash", "-q", "--include-untracked")
    assert project.ralph("resume").code == 0
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert project.passed() == ["US-001", *([] if skips else ["US-002"]), "US-003"]


def test_what_a_person_commits_during_a_pause_is_built_upon(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    process = paused(project, running)
    project.write("README.md", "mine\n")
    project.git("commit", "-qam", "by hand")
    assert project.ralph("resume").code == 0
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert project.subjects()[1] == "by hand"
    assert project.passed() == ["US-001", "US-002"]
    assert project.git("status", "--porcelain") == ""
    assert project.ralph("audit").code == 0


def test_stop_ends_it_after_the_iteration(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    process = at_work(project, running)
    assert project.ralph("stop").code == 0
    let_go(project)
    assert process.wait(timeout=PATIENCE) == 6
    assert project.passed() == ["US-001"]
    assert project.reason() == "explicit_stop"
    assert project.run().code == 0


def test_stop_now_ends_the_agent_and_keeps_its_work(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, agent="echo half > half.txt\n" + WAITS)
    project.walls = False
    process = at_work(project, running)
    assert project.ralph("stop", "--now").code == 0
    assert process.wait(timeout=PATIENCE) == 6
    _nothing_is_lost(project)


def test_a_paused_loop_can_be_stopped(tmp_path: Path, running: list[subprocess.Popen[str]]) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    process = at_work(project, running)
    project.ralph("pause")
    let_go(project)
    seen(project, "IterationEnded")
    assert project.ralph("stop").code == 0
    assert process.wait(timeout=PATIENCE) == 6


@pytest.mark.parametrize("command", ["pause", "resume", "stop"])
def test_without_a_loop_there_is_nothing_to_steer(tmp_path: Path, command: str) -> None:
    done = Project(tmp_path).ralph(command)
    assert done.code == 1
    assert "No loop is running" in done.err


def test_one_interrupt_finishes_the_iteration(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    process = at_work(project, running)
    process.send_signal(signal.SIGINT)
    seen(project, "StopRequested")
    let_go(project)
    assert process.wait(timeout=PATIENCE) == 6
    assert project.passed() == ["US-001"]


def test_two_interrupts_leave_now(tmp_path: Path, running: list[subprocess.Popen[str]]) -> None:
    project = Project(tmp_path, agent="echo half > half.txt\n" + WAITS)
    project.walls = False
    process = at_work(project, running)
    process.send_signal(signal.SIGINT)
    seen(project, "StopRequested")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 130
    _nothing_is_lost(project)


def test_an_interrupt_during_a_wait_is_heard_at_once(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    settings = {"loop": {"backoff_cap_seconds": 600}}
    project = Project(tmp_path, agent="exit 1\n", settings=settings)
    process = start(project, running)
    seen(project, "Decided", 2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=PATIENCE) == 6


def _nothing_is_lost(project: Project) -> None:
    """The agent is gone, its work is kept, and the next run brings it back."""
    agent = Path("/proc", project.calls()[0][0])
    wait_until(lambda: not agent.exists(), "the end of the agent")
    assert project.outcomes() == ["interrupted"]
    assert project.git("status", "--porcelain") == ""
    kept = project.ralph("salvage", "list", "--json").json()
    assert [project.git("show", f"{one['ref']}:half.txt") for one in kept] == ["half"]
    let_go(project)
    assert project.run().code == 0
    assert project.git("show", "ralph/journey:half.txt") == "half"


def test_a_second_ralph_names_the_first(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, agent=WAITS)
    process = at_work(project, running)
    done = project.run()
    assert done.code == 1
    assert f"pid {process.pid}" in done.err
    assert project.ralph("status", "--json").json()["running_pid"] == process.pid
    assert project.ralph("revert", "--iteration", "0").code == 1
    let_go(project)
    assert process.wait(timeout=PATIENCE) == 0


def test_skip_and_retry_reach_a_running_loop(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    project = Project(tmp_path, 3, agent=WAITS)
    process = at_work(project, running)
    assert project.ralph("skip", "US-002", "--why", "Not this year").code == 0
    assert project.ralph("retry", "--task", "US-003", "--feedback", "Mind the gap").code == 0
    let_go(project)
    assert process.wait(timeout=PATIENCE) == 0
    assert [task for _, task, _ in project.calls()] == ["US-001", "US-003"]
    assert "Mind the gap" in project.prompt(2)
    assert project.stories()["US-002"]["skipped"] is True
    assert "(Not this year)" in project.ralph("status").out, "the plan has no place for it"


def test_skip_and_retry_of_a_task_that_does_not_exist(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for command in ("skip", "retry"):
        done = project.ralph(command, "--task", "US-999")
        assert done.code == 1
        assert "US-999" in done.err


def test_retry_fresh_gives_the_next_agent_none_of_the_unfinished_work(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=f"ls > seen-$n.txt\n{FINISH}", verify="test -f seen-2.txt")
    assert project.run("--once").code == 4
    assert project.ralph("retry", "US-001", "--fresh").code == 0
    assert project.run().code == 0
    assert "seen-1.txt" not in project.git("show", "ralph/journey:seen-2.txt").split()
    kept = project.refs("refs/ralph/salvage")
    assert any("seen-1.txt" in project.git("ls-tree", "--name-only", ref) for ref in kept)


def test_a_finished_task_is_tried_again_on_request(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run().code == 0
    assert project.ralph("retry", "--task", "US-001", "--feedback", "Do it properly").code == 0
    assert project.run().code == 0
    assert "Do it properly" in project.prompt(2)
    assert project.read("out/US-001.txt") == "work on US-001, call 2\n"


def test_revert_puts_the_branch_back_and_reopens_what_came_after(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    assert project.run().code == 0
    second, third = project.git("rev-parse", "HEAD~1", "HEAD").splitlines()
    done = project.ralph("revert", "--iteration", "2")
    assert done.code == 0, done.err
    assert project.git("rev-parse", "ralph/journey") == second
    assert project.git("status", "--porcelain") == ""
    assert project.passed() == ["US-001", "US-002"]
    assert "US-003" in done.out
    assert any(
        project.git("rev-parse", f"{ref}^") == third for ref in project.refs("refs/ralph/salvage")
    )
    rows = project.ralph("status", "--json").json()["tasks"]
    assert [row["status"] for row in rows] == ["done", "done", "ready"]
    assert project.run().code == 0
    assert project.passed() == ["US-001", "US-002", "US-003"]
    assert len(project.subjects()) == 3
    assert project.ralph("audit").code == 0


def test_revert_to_the_start(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run().code == 0
    assert project.ralph("revert", "--iteration", "0").code == 0
    assert project.git("rev-parse", "ralph/journey") == project.git("rev-parse", "main")
    assert project.run().code == 0
    assert project.passed() == ["US-001", "US-002"]


def test_revert_needs_an_iteration_with_a_commit(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run().code == 0
    done = project.ralph("revert", "--iteration", "7")
    assert done.code == 1
    assert "Iteration 7 has no commit" in done.err


def test_salvage_restores_the_tree_hash_for_hash(
    tmp_path: Path, running: list[subprocess.Popen[str]]
) -> None:
    messy = (
        "mkdir -p deep/er; printf 'a\\r\\nb' > deep/er/crlf.txt; printf '\\000\\377' > bin.dat\n"
        "ln -s README.md link; echo '#!/bin/sh' > run.sh; chmod +x run.sh; rm .gitignore\n"
        "printf x > 'odd name\t.txt'\n"
    )
    project = Project(tmp_path, agent=messy + WAITS)
    process = at_work(project, running)
    project.ralph("stop", "--now")
    assert process.wait(timeout=PATIENCE) == 6
    [kept] = project.ralph("salvage", "list", "--json").json()
    assert "link" in project.ralph("salvage", "show", kept["ref"]).out
    assert project.ralph("salvage", "restore", kept["ref"]).code == 0
    project.git("add", "-A", "--force", ":!.ralph")
    assert project.git("write-tree") == project.git("rev-parse", f"{kept['ref']}^{{tree}}")


def test_salvage_is_not_restored_over_uncommitted_work(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run().code == 0
    assert project.ralph("revert", "--iteration", "1").code == 0
    [kept] = project.ralph("salvage", "list", "--json").json()
    project.write("README.md", "mine\n")
    done = project.ralph("salvage", "restore", kept["ref"])
    assert done.code == 1
    assert project.read("README.md") == "mine\n"


def test_squash_makes_one_commit_and_keeps_the_single_ones(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    assert project.run().code == 0
    tree, last = project.git("rev-parse", "HEAD^{tree}", "HEAD").splitlines()
    assert project.ralph("squash", "-m", "the whole feature").code == 0
    assert project.subjects() == ["feat: the whole feature"]
    assert project.git("rev-parse", "HEAD^{tree}") == tree
    body = project.git("log", "-1", "--format=%b")
    assert all(name in body for name in ("US-001", "US-002", "US-003"))
    assert last in [
        project.git("rev-parse", f"{ref}^") for ref in project.refs("refs/ralph/salvage")
    ]
    assert project.ralph("audit").code == 0
    assert project.run().code == 0
    assert len(project.calls()) == 3


def test_squash_leaves_alone_what_was_merged_and_what_is_not_ralphs(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    branch = project.git("branch", "--show-current")
    assert project.run("--once").code == 0
    ralphs = project.git("branch", "--show-current")
    project.git("switch", "-q", branch)
    project.git("merge", "-q", "--ff-only", ralphs)
    project.write("mine.txt", "mine\n")
    project.commit("Mine")
    mine = project.git("rev-parse", "HEAD")
    assert project.run().code == 0
    done = project.ralph("squash", "-m", "the rest")
    assert done.code == 0, done.err
    assert project.git("log", "--format=%s", f"{mine}..{ralphs}") == "feat: the rest"
    assert project.git("rev-parse", f"{ralphs}^") == mine
    body = project.git("log", "-1", "--format=%b", ralphs)
    assert "US-001" not in body
    assert "US-003" in body

    project.write("mine.txt", "more\n")
    project.commit("Mine, on Ralph's branch")
    refused = project.ralph("squash")
    assert refused.code == 1
    assert "Mine, on Ralph's branch" in refused.err
    assert len(refused.err.splitlines()) <= 3
    project.git("branch", "-f", branch, "HEAD")
    assert "nothing to squash" in project.ralph("squash").err


def test_what_a_person_decided_holds_when_the_task_is_opened_again(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=ASKS_FIRST)
    assert project.run("--on-escalation", "park").code == 5
    assert project.ralph("answer", "Q1", "--text", "The lower one").code == 0
    assert project.run().code == 0
    assert project.ralph("revert", "--iteration", "0").code == 0
    assert project.run().code == 0
    assert "The lower one" in project.prompt(3)
