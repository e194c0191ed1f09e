"""The real Claude Code does what a script says, and ends as each failure makes it end."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.claude import INTERRUPT, MODEL, Claude, ask, calls_a_tool
from tests.support.project import wait_until

from ralph.testing import (
    ClaimedUsage,
    Endpoint,
    Script,
    Text,
    Thinking,
    ToolUse,
    Turn,
    call,
    forbidden,
    model_not_found,
    no_credit,
    overloaded,
    prompt_too_long,
    rate_limited,
    say,
    server_error,
    unauthorised,
    usage_limit,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.claude import Ended

FOR_EVER = "while :; do sleep 0.1; done"


def run(home: Path, script: Script, *flags: str, **variables: str) -> tuple[Ended, Endpoint]:
    with Endpoint({"main": script}) as endpoint:
        return ask(home, endpoint.environment("main") | variables, "Do it.", *flags), endpoint


def errors_named(ended: Ended) -> list[str]:
    """The program's own word for what went wrong; its result does not repeat it."""
    return [event["error"] for event in ended.events if event.get("is_api_error_message")]


def test_an_edit_a_command_and_an_answer(tmp_path: Path) -> None:
    script = Script(
        (
            Turn(
                (
                    Thinking("A file is wanted."),
                    Text("I write it."),
                    ToolUse("Write", {"file_path": "a.txt", "content": "hello\n"}),
                ),
                ClaimedUsage(input=1000, output=50, cache_write=200, cache_read=300),
            ),
            call("Bash", ClaimedUsage(10, 20), command="cat a.txt > b.txt && cat b.txt"),
            say("All done.", ClaimedUsage(30, 40), expect="hello"),
        )
    )
    ended, endpoint = run(tmp_path, script)
    assert (tmp_path / "work" / "b.txt").read_text(encoding="utf-8") == "hello\n"
    assert (ended.exit, ended.stderr) == (0, "")
    assert ended.result["result"] == "All done."
    assert ended.result["terminal_reason"] == "completed"
    used = ended.result["modelUsage"][MODEL]
    assert (used["inputTokens"], used["outputTokens"]) == (1040, 110)
    assert (used["cacheCreationInputTokens"], used["cacheReadInputTokens"]) == (200, 300)
    assert (endpoint.problems(), endpoint.left("main")) == ([], 0)


FAILURES: dict[str, tuple[Turn, str, dict[str, Any]]] = {
    "unauthorised": (unauthorised(repeat=True), "authentication_failed", {"api_error_status": 401}),
    "forbidden": (forbidden(repeat=True), "authentication_failed", {"api_error_status": 403}),
    "model": (model_not_found(repeat=True), "model_not_found", {"api_error_status": 404}),
    "rate limit": (rate_limited(0.1, repeat=True), "rate_limit", {"api_error_status": 429}),
    "server error": (server_error(repeat=True), "server_error", {"api_error_status": 500}),
    "overloaded": (
        overloaded(repeat=True),
        "server_error",
        {"api_error_status": 529, "api_error_type": "overloaded_error"},
    ),
    "no credit": (no_credit(), "billing_error", {"result": "Credit balance is too low"}),
    "too long": (prompt_too_long(), "invalid_request", {"terminal_reason": "prompt_too_long"}),
    "garbage": (Turn(garbage="<html>", repeat=True), "unknown", {"api_error_status": None}),
    "dropped": (
        Turn((Text("Half an ans"),), drop=3, repeat=True),
        "server_error",
        {"api_error": "connection_failed"},
    ),
    "refusal": (
        Turn((Text("No."),), stop_reason="refusal", repeat=True),
        "invalid_request",
        {"stop_reason": "refusal"},
    ),
    "too many tokens": (
        Turn((Text("Half an ans"),), stop_reason="max_tokens", repeat=True),
        "max_output_tokens",
        {"api_error": "max_output_tokens"},
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures(name: str, tmp_path: Path) -> None:
    turn, error, expected = FAILURES[name]
    ended, endpoint = run(tmp_path, Script((turn,)))
    assert (ended.exit, ended.result["is_error"]) == (1, True)
    assert errors_named(ended) == [error]
    assert expected.items() <= ended.result.items()
    assert endpoint.problems() == []


def test_a_usage_limit_names_its_reset(tmp_path: Path) -> None:
    reset = int(time.time()) + 3600
    with Endpoint({"main": Script((usage_limit(reset),))}) as endpoint:
        variables = endpoint.environment("main", subscription=True)
        ended = ask(tmp_path, variables, "Do it.")
    limits = [event for event in ended.events if event["type"] == "rate_limit_event"]
    assert [limit["rate_limit_info"]["status"] for limit in limits] == ["rejected"]
    assert limits[0]["rate_limit_info"]["resetsAt"] == reset
    assert limits[0]["rate_limit_info"]["rateLimitType"] == "five_hour"
    assert ended.result["api_error"] == "usage_limit_reached"
    assert (ended.exit, len(endpoint.requests)) == (1, 1)


def test_an_empty_answer_is_asked_for_again_and_then_accepted(tmp_path: Path) -> None:
    ended, endpoint = run(tmp_path, Script((Turn(repeat=True),)))
    assert (ended.exit, ended.result["is_error"], ended.result["result"]) == (0, False, "")
    assert len(endpoint.requests) == 2


def test_a_request_that_hangs_times_out(tmp_path: Path) -> None:
    script = Script((Turn(hang=True),))
    limits = {"API_TIMEOUT_MS": "500", "CLAUDE_CODE_MAX_RETRIES": "0"}
    ended, _ = run(tmp_path, script, **limits)
    assert (ended.exit, ended.result["result"]) == (1, "Request timed out")


def test_a_stream_that_breaks_once_is_tried_again(tmp_path: Path) -> None:
    broken = Turn((Text("Half an ans"),), ClaimedUsage(1000, 1000), drop=3)
    ended, endpoint = run(tmp_path, Script((broken, say("Whole.", ClaimedUsage(10, 20)))))
    assert (ended.exit, ended.result["result"]) == (0, "Whole.")
    assert len(endpoint.requests) == 2


def test_a_subagent_has_turns_of_its_own(tmp_path: Path) -> None:
    task: dict[str, Any] = {"subagent_type": "general-purpose", "run_in_background": False}
    main = (
        call(
            "Agent", ClaimedUsage(100, 10), prompt="SUB-1: count them", description="Count", **task
        ),
        say("Three.", ClaimedUsage(100, 10), expect="There are 3."),
    )
    sub = (
        call("Bash", ClaimedUsage(10, 1), command="touch counted"),
        say("There are 3.", ClaimedUsage(10, 1)),
    )
    ended, endpoint = run(tmp_path, Script(main, {"SUB-1": sub}))
    assert ended.result["result"] == "Three."
    assert (tmp_path / "work" / "counted").exists()
    assert [request.marker for request in endpoint.requests] == ["", "SUB-1", "SUB-1", ""]
    assert ended.result["modelUsage"][MODEL]["inputTokens"] == 220
    assert (endpoint.problems(), endpoint.left("main")) == ([], 0)


def test_a_nudge_reaches_the_next_request(tmp_path: Path) -> None:
    wait = call("Bash", command="until [ -e nudged ]; do sleep 0.05; done")
    script = Script((wait, say("Seen.", expect="Use tabs, please.")))
    with Endpoint({"main": script}) as endpoint:
        with Claude(tmp_path, endpoint.environment("main"), "--replay-user-messages") as claude:
            claude.say("Do it.")
            claude.until(calls_a_tool)
            claude.say("Use tabs, please.")
            (claude.work / "nudged").touch()
            ended = claude.finish()
        assert endpoint.problems() == []
    assert ended.result["result"] == "Seen."


def test_an_interrupt_ends_a_tool(tmp_path: Path) -> None:
    # `begun` tells that the command runs: an interrupt before that would end the stream instead.
    script = Script((call("Bash", command=f"touch begun; {FOR_EVER}"),))
    with (
        Endpoint({"main": script}) as endpoint,
        Claude(tmp_path, endpoint.environment("main")) as claude,
    ):
        claude.say("Do it.")
        claude.until(calls_a_tool)
        wait_until((claude.work / "begun").exists, "the command runs")
        claude.send(INTERRUPT)
        ended = claude.finish()
    assert ended.result["terminal_reason"] == "aborted_tools"
    assert ended.exit == 1


def test_a_session_goes_on_in_a_new_process(tmp_path: Path) -> None:
    first, _ = run(tmp_path, Script((say("The magic word is xyzzy."),)))
    script = Script((say("Repaired.", expect="xyzzy"),))
    second, endpoint = run(tmp_path, script, "--resume", first.result["session_id"])
    assert endpoint.problems() == []
    assert second.result["result"] == "Repaired."


def test_an_expectation_that_is_not_met_is_named(tmp_path: Path) -> None:
    ended, endpoint = run(tmp_path, Script((say("Never.", expect="the feedback"),)))
    assert endpoint.problems() == ["Turn 0 expects `the feedback` in the request."]
    assert "expects `the feedback`" in ended.result["result"]
    assert (ended.exit, endpoint.left("main")) == (1, 1)


def test_two_programs_share_a_port(tmp_path: Path) -> None:
    scripts = {name: Script((say(f"I am {name}."),)) for name in ("ada", "bob")}
    with Endpoint(scripts) as endpoint, ThreadPoolExecutor(2) as pool:
        runs = {
            name: pool.submit(ask, tmp_path / name, endpoint.environment(name), "Who are you?")
            for name in scripts
        }
        said = {name: done.result().result["result"] for name, done in runs.items()}
    assert said == {"ada": "I am ada.", "bob": "I am bob."}
