"""Every run has an end, says which limit was its end, and loses nothing on the way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import FINISH, Project, story

if TYPE_CHECKING:
    from pathlib import Path

TRIES = """\
echo "try $n" > try.txt
echo "$n: I did my best, $RALPH_TASK_ID. Task $RALPH_TASK_ID complete"
"""
"""Never gets it right, each time a little differently."""

CHANGING = (
    'test ! -f try.txt || { echo "cannot find the symbol $(cat try.txt | tr 0-9 a-j)"; exit 1; }'
)
"""Fails each time with another message."""

COSTLY = json.dumps(
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "I did some work.",
        "total_cost_usd": 0.75,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }
)


@pytest.mark.parametrize(
    ("how", "calls"),
    [("flag", 2), ("environment", 3), ("long environment", 4), ("file", 1)],
)
def test_the_limit_of_iterations(tmp_path: Path, how: str, calls: int) -> None:
    project = Project(tmp_path, 9, settings={"loop": {"max_iterations": 1}})
    arguments = ["--max-iterations", "2"] if how == "flag" else []
    env = {
        "environment": {"MAX_ITERATIONS": "3"},
        "long environment": {"RALPH_LOOP__MAX_ITERATIONS": "4"},
    }.get(how, {})
    done = project.run(*arguments, env=env)
    assert done.code == 4
    assert len(project.calls()) == calls
    assert project.reason() == "max_iterations"
    assert "loop.max_iterations" in done.out
    assert project.run("--max-iterations", "20").code == 0, "the next run goes on"


def test_fifty_iterations_are_the_default(tmp_path: Path) -> None:
    shown = Project(tmp_path).ralph("config", "--json").json()
    assert shown["loop.max_iterations"] == {"value": 50, "from": "default"}
    assert shown["loop.gutter.max_same_failure"]["value"] == 3
    assert shown["loop.max_minutes"]["value"] == 240
    assert shown["loop.max_cost"]["value"] == 10
    assert shown["loop.max_failures"]["value"] == 5


Case = tuple[str, dict[str, Any], str, str]

LIMITS: dict[str, Case] = {
    "cost": (f"cat <<'END'\n{COSTLY}\nEND\n", {"max_cost": 1}, "budget_exhausted", "max_cost"),
    "run time": (
        "sleep 0.1\n" + FINISH,
        {"max_minutes": 0.001},
        "max_duration",
        "max_minutes",
    ),
    "average time": (
        "sleep 0.1\n" + FINISH,
        {"max_average_minutes": 0.001},
        "max_duration",
        "max_average_minutes",
    ),
    "failures in a row": (
        TRIES,
        {"max_failures": 2, "max_attempts": 9, "no_progress_iterations": 99},
        "consecutive_errors",
        "max_failures",
    ),
    "no progress": (
        TRIES,
        {"max_failures": 9, "max_attempts": 9, "no_progress_iterations": 2},
        "no_progress",
        "no_progress_iterations",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_says_that_it_was_the_one(tmp_path: Path, name: str) -> None:
    agent, loop, reason, setting = LIMITS[name]
    stories = [story("A"), story("B", depends_on=["A"]), story("C", depends_on=["B"])]
    project = Project(tmp_path, stories, agent=agent, verify=CHANGING, settings={"loop": loop})
    done = project.run()
    assert done.code == 4, done.out + done.err
    assert project.reason() == reason
    assert f"loop.{setting}" in done.out
    assert f"loop.{setting}" in project.ralph("report").out
    status = project.view(".ralph/status.json")
    assert status["termination_reason"] == reason
    assert status["state"] == "failed"


def test_an_agent_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    settings = {"loop": {"max_minutes_per_iteration": 0.005, "backoff_cap_seconds": 0}}
    project = Project(tmp_path, agent="echo half > half.txt\nsleep 300\n", settings=settings)
    done = project.run("--once")
    assert done.code == 4
    assert project.events("AgentFinished")[0]["ended"] == "timeout"
    assert project.calls()


def test_the_time_of_a_run_ends_the_agent_at_work_as_well(tmp_path: Path) -> None:
    """It is told to wrap up; what it did until then is kept and continued by the next run."""
    settings = {"handoff": {"wrap_up_minutes": 0.01}}
    body = f"if [ $n = 1 ]; then\necho half > half.txt\nsleep 300\nfi\ncat half.txt\n{FINISH}"
    project = Project(tmp_path, agent=body, settings=settings)

    done = project.run("--max-minutes", "0.02")

    assert done.code == 4, done.out + done.err
    assert project.reason() == "max_duration"
    assert "loop.max_minutes" in done.out
    [asked] = project.events("HandoffAsked")
    assert (asked["trigger"], asked["threshold"]) == ("timeout", 0.02)
    [ended] = project.events("IterationEnded")
    assert ended["outcome"] == "interrupted", "no failed attempt"
    assert project.run().code == 0
    assert project.git("show", "ralph/journey:half.txt") == "half"


def test_an_agent_that_is_silent_too_long_is_ended(tmp_path: Path) -> None:
    settings = {"loop": {"max_idle_minutes": 0.005, "backoff_cap_seconds": 0}}
    project = Project(tmp_path, agent="echo hello\nsleep 300\n", settings=settings)
    assert project.run("--once").code == 4
    assert project.events("AgentFinished")[0]["ended"] == "idle"


def test_back_off_follows_the_agents_own_failures_and_is_recorded(tmp_path: Path) -> None:
    settings = {"loop": {"backoff_cap_seconds": 0.05}}
    project = Project(tmp_path, agent=f"test $n -lt 3 && exit 1\n{FINISH}", settings=settings)
    assert project.run().code == 0
    waits = project.events("Waited")
    assert len(waits) == 2
    assert all("agent" in wait["why"] for wait in waits)
    assert all(0 < wait["seconds"] < 5 for wait in waits)
    assert project.ralph("report", "--json").json()["metrics"]["errors"] == 2


def test_a_red_check_is_no_reason_to_wait(tmp_path: Path) -> None:
    agent = f"if [ $n = 1 ]; then {TRIES}else rm -f try.txt\n{FINISH}fi\n"
    project = Project(tmp_path, agent=agent, verify=CHANGING)
    assert project.run().code == 0
    assert project.outcomes() == ["failed", "success"]
    assert project.events("Waited") == []


def test_after_three_failures_the_work_is_rolled_back_and_kept(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=TRIES, verify=CHANGING)
    base = project.git("rev-parse", "main")
    done = project.run("--max-iterations", "4")
    assert done.code in {4, 5}
    [rolled] = project.events("RolledBack")[:1]
    assert rolled["task"] == "US-001"
    assert rolled["to"] == base
    assert project.git("show", f"{rolled['salvage']}:try.txt") == "try 3"
    assert project.git("status", "--porcelain") == ""
    assert not (project.root / "try.txt").exists()
    assert f"back to the last verified commit {base[:10]}" in done.out
    assert project.calls()[3][1] == "US-002"
    assert rolled["salvage"] in [
        one["ref"] for one in project.ralph("salvage", "list", "--json").json()
    ]


@pytest.mark.parametrize(("option", "there"), [("1", False), ("2", True)])
def test_a_person_says_whether_the_rolled_back_work_comes_back(
    tmp_path: Path, option: str, there: bool
) -> None:
    project = Project(tmp_path, agent=TRIES, verify=CHANGING)
    assert project.run().code == 5
    assert project.ralph("answer", "Q1", option).code == 0
    project.agent('test -f try.txt && cp try.txt "$state/found"\nrm -f try.txt\n' + FINISH)
    assert project.run().code == 0
    assert (project.state / "found").exists() is there
    if not there:
        assert "refs/ralph/salvage/" in project.prompt(4)


def test_saying_the_same_again_is_noticed(tmp_path: Path) -> None:
    agent = (
        'echo "try $n" > try.txt\n'
        'echo "I have looked at all 12$n files and adjusted the handling of the cache in each."\n'
        'echo "Task $RALPH_TASK_ID complete"\n'
    )
    project = Project(tmp_path, agent=agent, verify=CHANGING)
    assert project.run().code == 5
    assert [event["looping"] for event in project.events("IterationEnded")] == [False, True, True]
    triggers = [event["trigger"] for event in project.events("IterationStarted")]
    assert triggers == ["initial", "task_incomplete", "loop_detected"]
    assert "Diagnose before you change anything" in project.prompt(3)
    assert "Diagnose before you change anything" not in project.prompt(2)


def test_going_in_circles_asks_a_person(tmp_path: Path) -> None:
    agent = (
        'echo "$((n % 2))" > try.txt\necho "$n $n $n"\n'
        'echo "Task $RALPH_TASK_ID complete"\n'
    )  # fmt: skip
    check = "test ! -f try.txt || { date +%N | tr 0-9 a-j; exit 1; }"
    settings = {"loop": {"max_attempts": 9, "max_failures": 9, "no_progress_iterations": 99}}
    project = Project(tmp_path, agent=agent, verify=check, settings=settings)
    assert project.run().code == 5
    [question] = project.ralph("inbox", "--json").json()
    assert "state of the files" in question["summary"]
    assert 3 <= len(project.calls()) <= 5


def test_an_iteration_that_runs_out_of_its_time(tmp_path: Path) -> None:
    settings = {"loop": {"max_minutes_per_iteration": 0.005, "backoff_cap_seconds": 0}}
    project = Project(tmp_path, agent="exec sleep 60\n", settings=settings)
    assert project.run("--once").code == 4
    assert project.outcomes() == ["budget_exceeded"]
    assert project.passed() == []
