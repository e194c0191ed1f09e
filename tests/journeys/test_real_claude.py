"""The installed `ralph` drives the real Claude Code: what it does, says and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.claude import MODEL
from tests.support.real_claude import ClaudeProject, edits, price, script, session, works

from ralph.testing import ClaimedUsage, Endpoint, call, say

if TYPE_CHECKING:
    from pathlib import Path

DEAREST = ClaimedUsage(1_234, 2_345, 34_567, 456_789)
FAILURE = "this word is wrong: 4711"
FAILS = """\
test ! -e out/US-001.txt || grep -qx right out/US-001.txt || {
  echo "this word is wrong: $((4700 + 11))"
  exit 1
}"""
"""The command is in every prompt, what it prints only after a failure."""


def test_honest_work_is_committed_and_paid_to_the_cent(tmp_path: Path) -> None:
    turns = {task: works(task, DEAREST) for task in ("US-001", "US-002")}
    with Endpoint({"main": script(*turns["US-001"], US_002=turns["US-002"])}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, 2)
        done = project.run()
        assert done.code == 0, done.out + done.err
        assert endpoint.left("main") == 1  # the turn for a task nobody knows

    assert project.passed() == ["US-001", "US-002"]
    assert project.trailers("Ralph-Task") == ["US-001", "US-002"]
    assert project.git("show", "ralph/journey:out/US-002.txt") == "right"
    assert project.ralph("audit").code == 0

    cost = price(*[DEAREST] * 3)
    tokens = (3 * 1_234, 3 * 2_345, 3 * 34_567, 3 * 456_789)
    for event in project.finished():
        usage = event["usage"]
        assert tuple(usage.values())[:4] == tokens
        assert usage["cost_usd"] == pytest.approx(cost, abs=1e-9)
        assert not usage["estimated"]
        assert event["models"] == {MODEL: usage}
        assert (event["calls"], event["tools"]) == (3, {"Write": 1, "Bash": 1})
    status = project.view(".ralph/status.json")
    assert status["total_cost"] == pytest.approx(2 * cost, abs=1e-9)
    assert (status["total_input_tokens"], status["total_output_tokens"]) == (6 * 1_234, 6 * 2_345)
    assert [one["cost"] for one in status["iterations"]] == [pytest.approx(cost)] * 2
    report = project.ralph("report", "--json").json()
    assert report["metrics"]["cost_usd"] == pytest.approx(2 * cost, abs=1e-9)
    assert report["iterations"][0]["usage"]["cacheReadTokens"] == 3 * 456_789
    assert f"cost: ${2 * cost:.2f}" in project.ralph("report").out


def test_a_liar_gets_nothing(tmp_path: Path) -> None:
    lie = say("I wrote it and all tests pass. Task US-001 complete <promise>DONE</promise>")
    with Endpoint({"main": script(lie, lie, lie)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        done = project.run()
        assert len(project.sessions()) == 3
    assert done.code == 5, done.out + done.err
    assert project.passed() == []
    assert project.subjects() == []
    assert project.outcomes() == ["failed"] * 3
    assert "US-001 stays open: claimed, but nothing was changed" in done.out


def test_a_failure_is_repaired_by_a_fresh_agent_that_is_told_of_it(tmp_path: Path) -> None:
    claim = say("I am sure of it. Task US-001 complete")
    turns = script(
        edits("wrong"),
        claim,
        call("Read", expect=FAILURE, file_path="out/US-001.txt"),
        edits("right"),
        claim,
    )
    with Endpoint({"main": turns}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, verify=FAILS)
        done = project.run()
        assert done.code == 0, done.out + done.err
        before, after = project.sessions()
        asked = project.asked()
    assert project.outcomes() == ["failed", "success"]
    assert [event["attempt"] for event in project.events("IterationStarted")] == [1, 2]
    assert [event["session"] for event in project.finished()] == [before, after]
    assert len(project.subjects()) == 1
    assert [session(one) for one in asked] == [before] * 2 + [after] * 3
    # an empty context, but for one prompt about one task
    for opening in (asked[0], asked[2]):
        assert "assistant" not in [message["role"] for message in opening.body["messages"]]
        assert str(opening.body["messages"]).count("# Task US-") == 1
    assert FAILURE not in str(asked[1].body)


def test_a_retry_goes_on_in_the_same_session_and_is_paid_once(tmp_path: Path) -> None:
    dear, cheap = ClaimedUsage(50_000, 1_000), ClaimedUsage(1_000, 100)
    turns = script(
        edits("wrong", usage=dear),
        say("The word is xyzzy. Task US-001 complete", dear),
        edits("right", usage=cheap, expect=FAILURE),
        say("Task US-001 complete", cheap, expect="xyzzy"),
    )
    with Endpoint({"main": turns}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, verify=FAILS, loop={"verification_retries": 1})
        done = project.run()
        assert done.code == 0, done.out + done.err
        [only] = project.sessions()
        again = project.asked()[2]
    assert project.outcomes() == ["success"]
    assert "xyzzy" in str(again.body)
    costs = [event["usage"]["cost_usd"] for event in project.finished()]
    assert costs == [pytest.approx(price(dear, dear)), pytest.approx(price(cheap, cheap))]
    assert {event["session"] for event in project.finished()} == {only}
    total = project.view(".ralph/status.json")["total_cost"]
    assert total == pytest.approx(price(dear, dear, cheap, cheap), abs=1e-9)


def test_a_suggestion_is_shown_in_the_report(tmp_path: Path) -> None:
    said = "FOLLOW-UP: Cache the list of users\nTask US-001 complete"
    with Endpoint({"main": script(edits("right"), say(said))}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint)
        assert project.run().code == 0
        assert len(project.sessions()) == 1
    assert "  · Cache the list of users  (US-001, iteration 1)" in project.ralph("report").out


def test_nothing_that_a_command_left_running_outlives_the_iteration(tmp_path: Path) -> None:
    daemon = "setsid sh -c 'echo $$ > pid-1; exec sleep 300' >/dev/null 2>&1 &"
    wiped = "env -i setsid sh -c 'echo $$ > pid-2; exec sleep 300' >/dev/null 2>&1 &"
    born = "until [ -s pid-1 ] && [ -s pid-2 ]; do sleep 0.05; done; kill -0 $(cat pid-1 pid-2)"
    # the check runs when the agent's part of the iteration is over, on what the agent left
    gone = "for file in pid-*; do test ! -e $file || ! kill -0 $(cat $file) || exit 1; done"
    turns = script(call("Bash", command=f"{daemon} {wiped} {born}"), say("Task US-001 complete"))
    with Endpoint({"main": turns}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, verify=gone)
        done = project.run()
        assert len(project.asked()) == 2
    assert done.code == 0, done.out + done.err
    assert project.git("ls-tree", "--name-only", "HEAD", "pid-1", "pid-2").split() == [
        "pid-1",
        "pid-2",
    ]


def test_only_the_commands_that_are_allowed_are_run(tmp_path: Path) -> None:
    """Claude Code itself refuses the others: nobody is there to be asked."""
    turns = (
        edits("right"),
        call("Bash", command='python3 -c \'open("out/refused.txt", "w")\''),
        call("Bash", command="awk 'BEGIN { print 1 }' > out/ran.txt"),
        say("Task US-001 complete"),
    )
    with Endpoint({"main": script(*turns)}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, safety={"allowed_commands": ["awk"]})
        done = project.run()
        assert done.code == 0, done.out + done.err
    landed = project.git("ls-tree", "-r", "--name-only", "ralph/journey").split()
    assert not [name for name in landed if "refused" in name]
    assert "out/ran.txt" in landed
