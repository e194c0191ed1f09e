"""Agents that get stuck, die or fail: what the installed `ralph` does about them."""

from __future__ import annotations

import getpass
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import FINISH, PATIENCE, Project, wait_until

if TYPE_CHECKING:
    from pathlib import Path

SECOND = 1 / 60
QUICK = {
    "degraded_minutes": 0.1 * SECOND,
    "stuck_minutes": 0.3 * SECOND,
    "nudge_minutes": 0.1 * SECOND,
    "escalate_minutes": 0.1 * SECOND,
    "dead_minutes": 0,
}
PATIENT = {
    "backoff_cap_seconds": 0,
    "max_attempts": 9,
    "no_progress_iterations": 9,
    "gutter": {"max_same_failure": 9, "max_churn_commits": 9},
}
STUCK_ONCE = f"""\
if test $n -eq 1; then
  mkdir -p out
  echo half > out/half.txt
  sleep 300
fi
{FINISH}"""


def project(folder: Path, agent: str, **health: float) -> Project:
    settings = {"loop": PATIENT, "health": QUICK | health}
    return Project(folder, agent=agent, settings=settings)


def levels(found: Project) -> list[str]:
    return [event["level"] for event in found.events("Intervened")]


def states(found: Project) -> list[str]:
    return [event["now"] for event in found.events("HealthChanged")]


def test_a_stuck_agent_is_ended_by_the_ladder_and_a_fresh_one_goes_on(tmp_path: Path) -> None:
    one = project(tmp_path, STUCK_ONCE)
    done = one.run()
    assert done.code == 0, done.out + done.err
    assert levels(one) == ["nudge"] * 3 + ["escalate", "terminate"]
    assert states(one)[-3:] == ["stuck", "failing", "terminated"]
    why = [event["why"] for event in one.events("Intervened")]
    assert all("(health." in text for text in why)
    assert why[0].endswith("; it takes no messages while it works")
    assert one.outcomes() == ["failed", "success"]
    first = one.events("AgentFinished")[0]
    assert (first["trouble"], first["ended"]) == ("stuck", "stopped")
    assert "health.stuck_minutes" in first["error"]
    # its unfinished work was there for the next agent, which was told what had happened
    assert one.git("show", "ralph/journey:out/half.txt") == "half"
    assert "was stopped: no progress for" in one.prompt(2)
    assert "the agent is failing and may soon be stopped" in done.out
    shown = one.view(".ralph/status.json")["iterations"]
    assert [each["health_state"] for each in shown] == ["terminated", "healthy"]


def test_a_task_that_every_agent_gets_stuck_on_is_diagnosed_and_then_asked_about(
    tmp_path: Path,
) -> None:
    always = {"nudges": 0, "stuck_minutes": 0.2 * SECOND}
    one = Project(
        tmp_path,
        agent="echo this is call $n\nsleep 300\n",
        settings={"loop": {"backoff_cap_seconds": 0}, "health": QUICK | always},
    )
    done = one.run()
    assert done.code == 5, done.out + done.err
    assert one.outcomes() == ["failed"] * 3
    diagnoses = ["## Diagnose before you change anything" in one.prompt(n) for n in (1, 2, 3)]
    assert diagnoses == [False, False, True]
    kinds = [event["question"]["kind"] for event in one.events("Escalated")]
    assert kinds == ["agent", "agent", "agent", "failed"]
    assert [open_one["kind"] for open_one in one.ralph("inbox", "--json").json()] == ["failed"]


def test_a_person_decides_what_becomes_of_a_stuck_agent(tmp_path: Path) -> None:
    one = project(tmp_path, STUCK_ONCE, nudges=0, escalate_minutes=10)
    process = one.start()
    asks = "`ralph answer Q1 N` decides at once (1: give it more time, 2: have it hand over to a "
    wait_until(lambda: bool(one.events("Escalated")), "the question")
    [asked] = one.ralph("inbox", "--json").json()
    assert asked["summary"].startswith("The agent at work gets nowhere: no progress for ")
    assert one.ralph("health", "--json").json()["health"] == "failing"
    assert one.ralph("answer", "Q1", "1").code == 0
    wait_until(lambda: len(one.events("Escalated")) > 1, "it is stuck again")
    assert one.ralph("answer", "Q2", "2").code == 0
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert asks in out
    assert one.outcomes() == ["interrupted", "success"]
    assert one.events("HandoffAsked")[0]["trigger"] == "explicit_request"
    assert one.git("show", "ralph/journey:out/half.txt") == "half"
    assert one.ralph("inbox").out == "No questions are waiting.\n"


def test_an_open_breaker_is_failing_health(tmp_path: Path) -> None:
    limits = {"backoff_cap_seconds": 0, "max_failures": 2, "max_attempts": 9}
    health = {"breaker_failures": 2}
    one = Project(tmp_path, agent="exit 9\n", settings={"loop": limits, "health": health})
    assert one.run().code == 4
    shown = one.ralph("health", "--json").json()
    assert (shown["health"], shown["breaker"]["state"]) == ("failing", "open")
    assert "· failing" in one.ralph("health").out


def test_a_word_to_an_agent_that_takes_none_reaches_the_next_one(tmp_path: Path) -> None:
    one = Project(tmp_path, agent=f'test $n -gt 1 || {{ touch "$state/up"; sleep 300; }}\n{FINISH}')
    idle = one.ralph("nudge", "too early")
    assert (idle.code, "No agent is at work" in idle.err) == (1, True)
    process = one.start()
    wait_until((one.state / "up").exists, "the agent")
    told = one.ralph("nudge", "use", "v2 of the API")
    assert told.code == 0
    assert "The next one that works on US-001 gets it." in told.out
    relieved = one.ralph("handoff")
    assert "A fresh one continues from there." in relieved.out
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"Handed over to a fresh agent: {getpass.getuser()} asked for it." in out
    assert "not verified" not in out
    assert "use v2 of the API" in one.prompt(2)
    told_of = one.ralph("audit", "--json").json()["changes"]
    assert [each["why"] for each in told_of if each["what"] == "agent told"] == [
        "use v2 of the API",
        "to hand over",
    ]


def test_while_the_checks_run_no_agent_is_at_work(tmp_path: Path) -> None:
    up, go = tmp_path / "up", tmp_path / "go"
    slow = f"touch {up}; while [ ! -e {go} ]; do sleep 0.02; done"
    one = Project(tmp_path, verify=slow)
    one.configure({"safety": {"sandbox": "off"}})
    process = one.start()
    wait_until(up.exists, "the check")
    for words in (("handoff",), ("nudge", "hello")):
        assert "No agent is at work" in one.ralph(*words).err
    go.touch()
    process.communicate(timeout=PATIENCE)
    assert [each["what"] for each in one.ralph("audit", "--json").json()["changes"]] == [
        "settled as green"
    ]


def test_work_on_files_is_progress_whatever_the_agent_says(tmp_path: Path) -> None:
    busy = "for i in 1 2 3 4 5 6 7 8; do echo $i > busy.txt; sleep 0.15; done\nrm busy.txt\n"
    one = project(tmp_path, busy + FINISH, stuck_minutes=0.9 * SECOND)
    assert one.run().code == 0
    assert levels(one) == []


def test_an_agent_in_which_nothing_lives_is_ended_at_once(tmp_path: Path) -> None:
    dead = {"dead_minutes": 0.5 * SECOND, "start_minutes": 0.5 * SECOND, "stuck_minutes": 30}
    one = project(tmp_path, f"test $n -gt 1 || exec sleep 300\n{FINISH}", **dead)
    done = one.run()
    assert done.code == 0, done.out + done.err
    assert levels(one) == ["terminate"]
    first = one.events("AgentFinished")[0]
    assert first["trouble"] == "idle"
    assert "no output, no CPU time, no file change and no running child for" in first["error"]


def test_a_busy_processor_or_a_live_child_is_no_death(tmp_path: Path) -> None:
    dead = {"dead_minutes": 0.6 * SECOND, "start_minutes": 0.6 * SECOND, "stuck_minutes": 30}
    spins = "i=0; while test $i -lt 400000; do i=$((i+1)); done\nsleep 1\n"
    one = project(tmp_path, spins + FINISH, **dead)
    assert one.run().code == 0
    assert levels(one) == []


FULL = {
    "type": "assistant",
    "message": {
        "id": "m1",
        "model": "claude-opus-5-5",
        "usage": {"input_tokens": 1, "cache_read_input_tokens": 150_000, "output_tokens": 1},
        "content": [{"type": "text", "text": "I go on and on."}],
    },
}
NEVER_WRAPS_UP = f"""\
if test $n -eq 1; then
  mkdir -p out; echo half > out/half.txt
  echo '{{"type": "system", "subtype": "init", "model": "claude-opus-5-5"}}'
  echo '{json.dumps(FULL)}'
  exec sleep 300
fi
{FINISH}"""


def test_an_agent_that_does_not_wrap_up_in_time_is_ended_and_relieved(tmp_path: Path) -> None:
    settings = {"loop": PATIENT, "handoff": {"wrap_up_minutes": 0.2 * SECOND}}
    one = Project(tmp_path, agent=NEVER_WRAPS_UP, settings=settings)
    done = one.run()
    assert done.code == 0, done.out + done.err
    [asked] = one.events("HandoffAsked")
    assert (asked["trigger"], asked["threshold"]) == ("context_threshold", 0.7)
    assert asked["value"] == pytest.approx(0.75, abs=0.001)
    assert one.outcomes() == ["interrupted", "success"]
    assert [event["handoff"] for event in one.events("IterationEnded")] == [
        "context_threshold",
        None,
    ]
    assert one.git("show", "ralph/journey:out/half.txt") == "half"
    assert "75% of its context is in use" in done.out


def breaker(one: Project) -> dict[str, Any]:
    found: dict[str, Any] = one.ralph("health", "--json").json()["breaker"]
    return found


def test_the_circuit_breaker_is_kept_across_runs(tmp_path: Path) -> None:
    one = project(tmp_path, "exit 1\n", breaker_failures=2, breaker_minutes=30)
    assert breaker(one)["state"] == "closed"
    done = one.run()
    assert done.code == 4
    assert one.reason() == "circuit_breaker_open"
    assert len(one.calls()) == 2
    assert breaker(one)["state"] == "open"
    again = one.run()
    assert (again.code, len(one.calls())) == (4, 2), "an open breaker starts no agent"
    assert "may try again in" in again.out

    # short enough to be half-open by now: exactly one iteration tries, and its end decides
    quick = {"breaker_failures": 2, "breaker_minutes": 1.0 * SECOND}
    one.configure({"loop": PATIENT, "health": QUICK | quick})
    one.commit("a shorter wait")
    wait_until(lambda: breaker(one)["state"] == "half_open")
    assert one.run().code == 4
    assert (one.reason(), len(one.calls())) == ("circuit_breaker_open", 3)
    one.agent(FINISH)
    wait_until(lambda: breaker(one)["state"] == "half_open")
    assert one.run().code == 0
    assert breaker(one) == {
        "state": "closed",
        "failures": 0,
        "threshold": 2,
        "opens_at": "",
        "seconds": 0,
    }


def test_health_is_shown_for_people_and_programs(tmp_path: Path) -> None:
    one = project(tmp_path, STUCK_ONCE)
    nothing = one.ralph("health")
    assert (nothing.code, nothing.out.splitlines()[0]) == (0, "No agent has run here yet.")
    assert one.run("--once").code == 4
    view = one.ralph("health", "--json").json()
    assert (view["running"], view["task"], view["health"]) == (False, "US-001", "terminated")
    assert (view["nudges"], len(view["interventions"])) == (3, 5)
    assert view["last_progress"] <= view["since"]
    assert view["checkpoint"]
    shown = one.ralph("health").out
    assert "No agent is running. The last one: iteration 1 · US-001 · terminated since" in shown
    assert "circuit breaker: closed (1 failure in a row, opens at 8)" in shown


def test_an_agent_that_failed_is_not_called_healthy(tmp_path: Path) -> None:
    one = Project(tmp_path, agent="echo 'no key'; exit 9\n")
    one.run("--once")
    shown = one.ralph("health").out
    assert "iteration 1 · US-001 · failed: The agent exited 9: no key" in shown
    assert "healthy" not in shown
