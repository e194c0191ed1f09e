"""Nobody is there: the terminal goes away, the machine goes down."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path

import pytest
from tests.support.project import ASKS_FIRST, FINISH, PATIENCE, Project, story, wait_until
from tests.support.terminal import CONTROLLING, Terminal

QUICK = {"loop": {"backoff_cap_seconds": 0.05}}
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


def test_status_says_what_goes_on(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, agent=f"test $n = 1 && exit 1\n{WAITS}", settings=QUICK)
    process = project.start()
    _is_started(project)
    wait_until(lambda: "agent at work" in project.ralph("status").out, "the agent")
    shown, told = project.ralph("status").out, project.ralph("status", "--json").json()
    project.ralph("pause")
    pausing = project.ralph("status").out
    (project.state / "go").touch()
    wait_until(lambda: "paused (pid" in project.ralph("status").out, "the pause")
    project.ralph("resume")
    process.communicate(timeout=PATIENCE)

    assert f"running (pid {process.pid})" in shown
    assert re.search(r"now: US-001 \(attempt 2\) · agent at work for 0:0\d", shown)
    assert "next: US-002" in shown
    assert "last iteration 1: failed" in shown
    assert "cost unknown" in shown
    assert (told["now"]["phase"], told["now"]["task"]) == ("agent at work", "US-001")
    assert "pauses after this iteration" in pausing


def test_a_skipped_task_does_not_remain(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.ralph("skip", "--task", "US-002")
    done = project.run()
    assert "plan updated: US-002 skipped" in done.out
    assert "Final: 1/2 complete (0 remaining, 1 skipped)" in done.out
    assert "All tasks are done" in done.out
    assert "1/2 complete (0 remaining, 1 skipped)" in project.ralph("status").out


def test_a_terminal_is_never_silent_for_long(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=WAITS)
    with Terminal(project, *project.arguments(), term="xterm") as person:
        person.wait_for("US-001 · agent at work · 0:01 · ░░░░░ 0/2")
        (project.state / "go").touch()
        assert person.end() == 0
    assert "\r\x1b[J" in person.shown, "what was there is taken away before the next line"


def test_lines_carry_the_time_of_day_where_nobody_watches(tmp_path: Path) -> None:
    told = Project(tmp_path).run().out.splitlines()
    assert all(re.match(r"\d\d:\d\d:\d\d ", line) for line in told if line)


@pytest.mark.parametrize("switched_before", [False, True])
def test_who_could_not_begin_leaves_the_user_on_their_branch(
    tmp_path: Path, switched_before: bool
) -> None:
    project = Project(tmp_path, 2, verify="no-such-program --all")
    if switched_before:  # and something has landed there
        project.verify = "true"
        assert project.run("--once").code == 0
        project.verify = "no-such-program --all"
        project.git("switch", "-q", "main")

    done = project.run()

    assert done.code == 1, done.out + done.err
    assert project.git("branch", "--show-current") == "main"
    assert len(project.subjects()) == switched_before
    project.verify = "true"
    assert project.run().code == 0
    assert project.passed() == ["US-001", "US-002"]


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
    assert "now: US-001 · agent at work for" in alive
    assert "interrupted. Continue with `ralph run`" in dead
    assert "now:" not in dead


def test_the_headline_of_status_still_holds(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST)

    def headline(*words: str) -> str:
        return project.ralph("status", *words).out.splitlines()[0]

    assert headline() == "Not started"
    assert project.run("--on-escalation", "park").code == 5
    assert headline().startswith("Journey · Waiting for you: ")
    assert project.ralph("answer", "Q1", "1").code == 0
    assert headline() == "Journey · nothing waits for you any more. Continue with `ralph run`"
    assert project.run("--task", "US-001").code == 0
    assert project.run().code == 0
    assert headline() == "Journey · Done"
    assert project.ralph("retry", "US-002").code == 0
    assert headline() == "Journey · 1 task to do. Continue with `ralph run`"
    assert project.ralph("revert", "--iteration", "0").code == 0
    assert headline() == "Journey · 2 tasks to do. Continue with `ralph run`"
    assert project.ralph("report").out.startswith("Journey · Done; 2 tasks open\n")
    project.write("TODO.md", "- [ ] Write another file\n")
    other = project.ralph("status", "TODO.md").out
    assert other.splitlines()[0] == "Not started"
    assert "last iteration" not in other


def test_one_iteration_that_ends_in_a_question_waits_for_a_person(tmp_path: Path) -> None:
    """Whoever asks it, and whatever else is ready."""
    asks = Project(tmp_path / "asks", 2, agent=ASKS_FIRST)
    assert asks.run("--once", "--on-escalation", "park").code == 5
    idle = Project(tmp_path / "idle", 2, agent="true", settings={"loop": {"max_attempts": 2}})
    assert idle.run("--once").code == 4
    assert idle.run("--once", "--on-escalation", "park").code == 5


def test_tasks_that_are_added_while_it_runs_are_counted(tmp_path: Path) -> None:
    project = Project(tmp_path)
    plan, longer = project.view("PRD.json"), tmp_path / "longer.json"
    plan["userStories"] += [story("US-002"), story("US-003")]
    longer.write_text(json.dumps(plan), encoding="utf-8")
    project.walls = False
    project.agent(f"[ $n != 1 ] || cp {longer} {project.root}/PRD.json\n{FINISH}")
    done = project.run("--worktree")
    assert done.code == 0, done.out + done.err
    assert "Progress: 2/3 complete (1 remaining)" in done.out
    assert "Final: 3/3 complete (0 remaining)" in done.out


def test_a_half_written_plan_is_shown_as_it_was_committed_last(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run("--once").code == 0
    project.write("PRD.json", '{"project": "Jour')
    shown = project.ralph("status")
    assert "1/2 complete" in shown.out
    assert "PRD.json" in shown.err
    assert "Shown as it was committed last." in shown.err
    assert "Done: 1/2" in project.ralph("report").out
    assert project.ralph("lint").code == 1


def test_the_plan_is_shown_while_a_branch_without_it_is_checked_out(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.git("switch", "-q", "-c", "feature")
    project.git("rm", "-q", "PRD.json")
    project.git("commit", "-q", "-m", "no plan here")
    project.git("switch", "-q", "main")
    assert project.run("--once").code == 0
    project.git("switch", "-q", "feature")
    shown = project.ralph("status")
    assert "1/2 complete" in shown.out
    assert "Shown as it was committed last." in shown.err
