"""The real Claude Code in trouble of its own: limits, logins, money, and who takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.project import PATIENCE, wait_until
from tests.support.real_claude import ClaudeProject, edits, price, script, works
from tests.support.terminal import Terminal

from ralph.policy.remedy import A_LITTLE
from ralph.testing import ClaimedUsage, Endpoint, call, say, unauthorised, usage_limit

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.testing import Request

LOG_IN = "run `claude` once and log in, or set ANTHROPIC_API_KEY and name it in claude.env"


class Limit:
    """The first answer: used up for so many seconds from then on. Give it to the endpoint."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.turn = usage_limit(0)
        self.lifted = 0

    def __call__(self, request: Request) -> None:
        if not self.lifted and request.turn == 0:
            self.lifted = int(request.time) + self.seconds
            self.turn.headers.update(usage_limit(self.lifted).headers)


def waits(project: ClaudeProject) -> list[float]:
    return [event["until"] for event in project.events("Decided") if event["until"]]


def one_wait_one_success(project: ClaudeProject, lifted: int) -> None:
    refused, *answered = project.asked()
    assert refused.time < lifted
    assert len(answered) == 3
    assert min(one.time for one in answered) >= lifted
    assert len(project.sessions()) == 2
    assert [event["attempt"] for event in project.events("IterationStarted")] == [1, 1]
    assert [event["trouble"] for event in project.finished()] == ["usage_limit", None]
    assert project.passed() == ["US-001"]
    [row] = project.ralph("report", "--json").json()["tasks"]["completed"]
    assert row["attempts"] == 1
    assert project.ralph("report", "--json").json()["metrics"]["failures"] == 0


def test_a_usage_limit_is_waited_for(tmp_path: Path) -> None:
    limit = Limit(seconds=3)
    with Endpoint({"main": script(limit.turn, *works())}, watch=limit) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, subscription=True)
        with Terminal(project, *project.arguments(), term="xterm") as terminal:
            terminal.wait_for("has reached its usage limit (“You've hit your 5-hour limit")
            terminal.wait_for("s left")
            assert terminal.end() == 0
        one_wait_one_success(project, limit.lifted)
    assert waits(project) == [limit.lifted + A_LITTLE]
    assert "waiting until " in terminal.shown
    assert "not counted as an attempt at US-001" in terminal.shown


def test_a_wait_that_was_killed_goes_on_to_the_same_moment(tmp_path: Path) -> None:
    limit = Limit(seconds=5)
    with Endpoint({"main": script(limit.turn, *works())}, watch=limit) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, subscription=True)
        with project.start() as first:
            wait_until(lambda: bool(waits(project)), "the wait")
            first.kill()
            first.communicate(timeout=PATIENCE)
        done = project.run()
        assert done.code == 0, done.out + done.err
        one_wait_one_success(project, limit.lifted)
    assert waits(project) == [limit.lifted + A_LITTLE] * 2
    assert len(project.events("RunStarted")) == 2


def test_a_limit_beyond_the_leash_ends_the_run_until_a_person_knows_better(tmp_path: Path) -> None:
    limit = Limit(seconds=30_000)
    with Endpoint({"main": script(limit.turn, *works())}, watch=limit) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, subscription=True)
        for _ in range(2):
            done = project.run()
            assert done.code == 4
            assert "longer than loop.max_wait_minutes allows" in done.out
            assert project.reason() == "usage_limit"
        assert len(project.asked()) == 1  # the second run knew
        done = project.ralph("resume")
        assert "the next run tries the agent again" in done.out
        assert project.run().code == 0
        assert len(project.sessions()) == 2
    assert project.passed() == ["US-001"]


@pytest.mark.parametrize("login", [True, False], ids=["refused", "none"])
def test_without_a_login_it_says_what_to_do(tmp_path: Path, login: bool) -> None:
    scripts = {"main": script(*works()), "shut": script(unauthorised(repeat=True))}
    with Endpoint(scripts) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        project.use("shut", login=login)
        plan = project.read("PRD.json")
        done = project.run()
        assert done.code == 1
        assert LOG_IN in done.out
        assert len(project.asked()) == login
        assert project.reason() == "agent_unavailable"
        assert [event["trouble"] for event in project.finished()] == ["authentication"]
        assert project.read("PRD.json") == plan
        assert project.subjects() == []

        project.use("main")
        assert project.run().code == 0
    assert [event["attempt"] for event in project.events("IterationStarted")] == [1, 1]
    assert project.passed() == ["US-001"]


SECOND = """\
mkdir -p out
echo right > "out/$RALPH_TASK_ID.txt"
echo "Task $RALPH_TASK_ID complete"
"""


def test_the_next_of_the_chain_works_until_claude_can_again(tmp_path: Path) -> None:
    scripts = {
        "main": script(*works("US-002"), task="US-002"),
        "shut": script(unauthorised(repeat=True)),
    }
    with Endpoint(scripts) as endpoint:
        agents = {"second": {"command": ["sh", str(tmp_path / "second.sh")]}}
        project = ClaudeProject(tmp_path, endpoint, 2, agents=agents)
        (tmp_path / "second.sh").write_text(SECOND)
        project.use("shut")
        done = project.run("--agent", "claude,second", "--max-iterations", "1")
        assert done.code == 4
        assert "second takes over from claude: Claude Code is not logged in" in done.out
        assert project.passed() == ["US-001"]

        project.use("main")
        done = project.run("--agent", "claude,second")
        assert done.code == 0, done.out + done.err
        assert [one.script for one in project.asked()] == ["shut", "main", "main", "main"]
    worked = [(event["agent"], event["trouble"]) for event in project.finished()]
    assert worked == [("claude", "authentication"), ("second", None), ("claude", None)]
    [switched] = project.events("AgentSwitched")
    assert (switched["agent"], switched["to"]) == ("claude", "second")
    assert LOG_IN in switched["why"]
    records = project.ralph("report", "--all", "--json").json()["iterations"]
    assert [record["agent"]["name"] for record in records] == ["second", "claude"]
    assert [event["attempt"] for event in project.events("IterationStarted")] == [1, 1]


def test_a_cost_cap_interrupts_it_while_it_works(tmp_path: Path) -> None:
    dear = ClaimedUsage(20_000, 1_000)
    turns = script(
        edits("right", usage=dear), call("Bash", dear, command="true"), say("Task US-001 complete")
    )
    with Endpoint({"main": turns}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        done = project.run("--max-cost", "0.05")
        assert len(project.asked()) == 1
    assert done.code == 4
    assert project.reason() == "budget_exhausted"
    assert "loop.max_cost" in done.out
    [event] = project.finished()
    assert event["trouble"] == "budget"
    assert event["usage"]["cost_usd"] == pytest.approx(price(dear), abs=1e-9)
    assert project.view(".ralph/status.json")["total_cost"] == pytest.approx(0.1, abs=1e-9)
    assert project.outcomes() == ["budget_exceeded"]
    assert project.passed() == []
