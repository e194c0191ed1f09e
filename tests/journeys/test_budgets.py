"""Money has an end: for a run, a task, a day, whoever spends it."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.project import FINISH, Project
from tests.support.real_claude import ClaudeProject, price, script

from ralph.testing import ClaimedUsage, Endpoint, call, say

if TYPE_CHECKING:
    from pathlib import Path

FIGURES = [
    *("agents", "calls", "tool_calls", "input_tokens", "output_tokens", "cache_write_tokens"),
    *("cache_read_tokens", "total_tokens", "cost_usd", "estimated", "seconds", "without_figures"),
]


WRITE = 'mkdir -p out\necho "call $n" > "out/$RALPH_TASK_ID.txt"\n'


def costs(dollars: float) -> str:
    """An agent that does its work and says what it cost."""
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": "Task $RALPH_TASK_ID complete",
        "total_cost_usd": dollars,
        "usage": {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 300},
    }
    return f"{WRITE}cat <<END\n{json.dumps(result)}\nEND\n"


def begins(dollars: float) -> str:
    """The first answer of a model that is told to cost so much; then the agent works on and on."""
    tokens = int(dollars / 4 * 1e6)
    usage = {"input_tokens": tokens, "output_tokens": 0}
    message = {"id": "m", "model": "claude-opus-5-5", "usage": usage}
    begun = {"type": "stream_event", "event": {"type": "message_start", "message": message}}
    first = {"type": "system", "subtype": "init", "session_id": "s"}
    lines = "\n".join(map(json.dumps, (first, begun)))
    return f"cat <<END\n{lines}\nEND\nexec sleep 120\n"


def spent(project: Project) -> float:
    return sum(float(one["usage"]["cost_usd"]) for one in project.events("AgentFinished"))


def test_a_run_stops_within_one_call_of_the_model_of_its_budget(tmp_path: Path) -> None:
    dear = ClaimedUsage(100_000)  # 40 cents each
    calls = [call("Bash", dear, command=f"echo {n}") for n in range(8)]
    # from the fourth on the model takes its time: an interrupt arrives before its next answer, on
    # a busy machine as well
    turns = [*calls[:3], *(replace(one, delay=20) for one in calls[3:])]
    with Endpoint({"main": script(*turns, say("Task US-001 complete"))}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, loop={"max_cost": 1})
        done = project.run()
        assert endpoint.problems() == []
    assert done.code == 4, done.out + done.err
    assert project.reason() == "budget_exhausted"
    assert 1 <= spent(project) <= 1 + price(dear)
    assert "loop.max_cost" in done.out
    assert [one["trouble"] for one in project.finished()] == ["budget"]


def test_a_task_that_spent_its_budget_waits_and_the_rest_goes_on(tmp_path: Path) -> None:
    agent = (
        f'if [ "$RALPH_TASK_ID" = US-001 ]; then echo half > half.txt\n{begins(1.5)}fi\n'
        + costs(0.2)
    )
    project = Project(
        tmp_path, 2, agent=agent, settings={"budget": {"task": 1}, "handoff": {"context": 0}}
    )
    done = project.run()
    assert done.code == 5, done.out + done.err
    assert project.passed() == ["US-002"]
    assert project.outcomes() == ["budget_exceeded", "success"]
    assert project.events("Waited") == [], "the agent did nothing wrong"
    [question] = project.ralph("inbox", "--json").json()
    assert question["kind"] == "budget"
    assert "$1.50 of its budget of $1.00 (budget.task)" in question["summary"]
    assert "task US-001: $1.50 of $1.00 (150%), budget.task · deny" in project.ralph("cost").out
    assert project.ralph("answer", question["id"], "1").code == 0
    project.agent('cp half.txt "$state/found"\n' + costs(0.5))
    assert project.run().code == 0
    assert (project.state / "found").read_text() == "half\n", "the work comes back"
    assert project.passed() == ["US-001", "US-002"]


def test_a_day_s_budget_holds_across_runs(tmp_path: Path) -> None:
    project = Project(tmp_path, 5, agent=costs(0.75), settings={"budget": {"day": 2}})
    assert project.run("--max-iterations", "2").code == 4
    assert project.reason() == "max_iterations"
    done = project.run()
    assert done.code == 4
    assert project.reason() == "budget_exhausted"
    assert "all projects together have spent $2.25 today, and the budget is $2.00" in done.out
    assert "(budget.day)" in done.out
    assert len(project.calls()) == 3
    assert project.run().code == 4
    assert len(project.calls()) == 3, "not one agent more"
    assert [one["action"] for one in project.events("BudgetNoticed")] == ["deny", "deny"]


def test_a_day_s_budget_holds_for_two_processes_at_once(tmp_path: Path) -> None:
    one, other = (
        Project(
            tmp_path / name,
            agent=begins(0.6),
            settings={"budget": {"day": 1, "near": 0.55}, "handoff": {"budget": 0}},
        )
        for name in ("one", "other")
    )
    other.home = one.home
    running = [project.start() for project in (one, other)]
    shown = [process.communicate(timeout=60)[0] for process in running]
    assert [process.returncode for process in running] == [4, 4], shown
    assert all("budget.day" in text for text in shown)
    assert all("spent $1.20 today" in text for text in shown), shown
    assert spent(one) == pytest.approx(1.2), "both together, and neither alone"
    assert len(one.events("AgentFinished")) == 2
    assert {event["trouble"] for event in one.events("AgentFinished")} == {"budget"}
    assert one.events("AgentSpent")
    assert "alert_only" in [event["action"] for event in one.events("BudgetNoticed")]


def test_a_throttle_delays_the_next_iteration_and_says_so(tmp_path: Path) -> None:
    budget = {"project": 1, "near": 0.2, "when_near": "throttle", "throttle_seconds": 0.3}
    project = Project(tmp_path, 3, agent=costs(0.3), settings={"budget": budget})
    done = project.run()
    assert done.code == 0, done.out + done.err
    notices = project.events("BudgetNoticed")
    assert [one["action"] for one in notices] == ["throttle", "throttle"]
    first, second = (one["seconds"] for one in notices)
    assert 0.3 < first < second
    waits = [one for one in project.events("Waited") if "Throttled" in one["why"]]
    assert [one["seconds"] >= n["seconds"] for one, n in zip(waits, notices, strict=True)] == [
        True,
        True,
    ]
    assert "budget: this project has spent $0.30, 30% of the budget of $1.00" in done.out


def test_a_soft_budget_only_says_so_once(tmp_path: Path) -> None:
    budget = {"project": 1, "when_reached": "alert_only"}
    project = Project(tmp_path, 4, agent=costs(0.45), settings={"budget": budget})
    done = project.run()
    assert done.code == 0, done.out + done.err
    told = [round(one["used"], 2) for one in project.events("BudgetNoticed")]
    assert told == [0.9, 1.35], "near its end, then at its end"
    assert "project: $1.80 of $1.00 (180%), budget.project · alert_only" in (
        project.ralph("status").out
    )


def test_what_was_used_is_told_by_whatever_one_asks(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, settings={"budget": {"organisation": 50}})
    for command in ("tokens", "cost"):
        empty = project.ralph(command)
        assert (empty.code, empty.out.splitlines()[0]) == (
            0,
            "No agent has run here yet, so nothing was spent.",
        )
    project.agent(f"if [ $n = 1 ]; then {FINISH}else {costs(0.5)}fi\n")
    assert project.run("--max-iterations", "2").code == 4
    cost = project.ralph("cost", "--json").json()
    assert [(row["key"], row["cost_usd"]) for row in cost["rows"]] == [
        ("US-002", 0.5),
        ("US-001", None),
    ]
    assert list(cost["rows"][0]) == ["key", *FIGURES]
    assert (cost["total"]["cost_usd"], cost["total"]["without_figures"]) == (0.5, 1)
    assert sum(cost["breakdown"].values()) == pytest.approx(0.5)
    assert cost["budgets"][0]["scope"] == "organisation"
    assert (cost["budgets"][0]["used"], cost["budgets"][0]["left"]) == (0.5, 49.5)
    assert (cost["forecast"]["tasks"], cost["forecast"]["history"]) == (1, 2)
    shown = project.ralph("cost").out
    assert "1 agent without usage figures" in shown
    assert "1 task to go: about $0.50" in shown
    _the_same_as_csv(project)
    assert "$ forecast: 1 task to go: about $0.50" in project.run().out
    assert "forecast" in project.ralph("status", "--json").json()


def _the_same_as_csv(project: Project) -> None:
    for by in ("project", "model", "iteration"):
        rows = list(csv.DictReader(io.StringIO(project.ralph("tokens", "--by", by, "--csv").out)))
        assert list(rows[0]) == [by, *FIGURES]
        assert sum(int(row["total_tokens"]) for row in rows) == 420
    every: dict[str, Any] = project.ralph("tokens", "--all-projects", "--json").json()
    assert every["total"]["total_tokens"] == 420
    assert every["efficiency"]["cache_hit_rate"] == 0.75
    assert project.ralph("tokens", "--since", "2999-01-01", "--json").json()["rows"] == []
    assert project.ralph("tokens", "--since", "soon").code == 2


def test_a_cost_that_nobody_told_is_unknown_everywhere(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.run("--max-cost", "3")
    assert done.code == 0, done.out + done.err
    assert "the cost limit of $3 may not hold" in done.out
    shown = [project.ralph(name).out for name in ("report", "cost", "tokens", "status")]
    assert "cost: unknown" in shown[0]
    assert "run: unknown of $3.00" in shown[1], "the limit that this run was given"
    assert "1 agent without usage figures" in shown[2]
    assert not any("$0.00" in text for text in shown), shown
    assert project.ralph("report", "--json").json()["metrics"]["cost_usd"] is None
