"""Every way in which the real Claude Code fails, as Ralph understands it."""

from __future__ import annotations

import re
import socket
import time
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.claude_job import MODEL, Desk, used

from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.trouble import TroubleKind as K
from ralph.testing import ClaimedUsage as Tokens
from ralph.testing import (
    Script,
    Text,
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


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


FAILURES: dict[str, tuple[Turn, K, str]] = {
    "401": (
        unauthorised(repeat=True),
        K.AUTHENTICATION,
        "set ANTHROPIC_API_KEY and name it in claude.env",
    ),
    "403": (forbidden(repeat=True), K.PERMISSION, "does not have permission"),
    "404": (model_not_found(repeat=True), K.MODEL_NOT_FOUND, "with claude.model."),
    "413": (Turn(status=413, repeat=True), K.PROMPT_TOO_LONG, "Request too large"),
    "429": (rate_limited(0.1, repeat=True), K.RATE_LIMIT, "too many requests"),
    "500": (server_error(repeat=True), K.OVERLOAD, "its service has a problem"),
    "529": (overloaded(repeat=True), K.OVERLOAD, "Overloaded"),
    "no credit": (no_credit(), K.BILLING, "Top up its account"),
    "too long": (prompt_too_long(), K.PROMPT_TOO_LONG, "212345 tokens"),
    "another 400": (
        Turn(status=400, message="Nonsense.", repeat=True),
        K.EXIT,
        "Claude Code reported an error: API Error: 400 Nonsense.",
    ),
    "garbage": (Turn(garbage="<html>", repeat=True), K.GARBAGE, "did not answer in its protocol"),
    "dropped": (Turn((Text("Half"),), drop=3, repeat=True), K.CONNECTION, "ECONNRESET"),
    "refusal": (
        Turn((Text("No."),), stop_reason="refusal", repeat=True),
        K.REFUSAL,
        "Reword the task",
    ),
    "too many tokens": (
        Turn((Text("Half"),), stop_reason="max_tokens", repeat=True),
        K.TURNS,
        "Make the task smaller",
    ),
    "empty": (Turn(repeat=True), K.EMPTY, "gave an empty answer"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures(name: str, desk: Desk) -> None:
    turn, kind, words = FAILURES[name]
    done = desk.run(Script((turn,)))
    assert (done.trouble, done.answer.ended) == (kind, Ended.EXITED)
    assert words in done.answer.error
    assert not done.answer.worked


def test_a_usage_limit_says_when_it_is_lifted(desk: Desk) -> None:
    reset = int(time.time()) + 3600
    turns = (call("Bash", Tokens(1000, 10), command="echo begun > file"), usage_limit(reset))
    done = desk.run(Script(turns), subscription=True)
    assert done.trouble is K.USAGE_LIMIT
    assert done.answer.trouble is not None
    assert done.answer.trouble.until == reset
    assert "5-hour limit" in done.answer.error
    assert len(done.requests) == 2
    # What it had done before is done, and paid for.
    assert (desk.workspace / "file").exists()
    assert done.answer.usage == used(1000, 10, cost=0.0042)


def test_it_tells_when_it_tries_again(desk: Desk) -> None:
    script = Script((server_error(), say("Done.")))
    done = desk.run(script, variables={"CLAUDE_CODE_MAX_RETRIES": "1"})
    assert done.answer.worked
    (retrying,) = done.of(ActivityKind.RETRYING)
    assert retrying.text.startswith("try 1 of 1 in ")
    assert "500" in retrying.text


def test_nobody_answers(desk: Desk) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        done = desk.run(Script((say("Never."),)), variables={"ANTHROPIC_BASE_URL": url})
    assert done.trouble is K.CONNECTION
    assert "ECONNREFUSED" in done.answer.error


def test_a_request_that_hangs(desk: Desk) -> None:
    done = desk.run(Script((Turn(hang=True),)), variables={"API_TIMEOUT_MS": "300"})
    assert done.trouble is K.CONNECTION
    assert "Request timed out" in done.answer.error


def test_silence_ends_by_our_own_limit(desk: Desk) -> None:
    done = desk.run(Script((Turn(hang=True),)), idle_seconds=2)
    assert (done.trouble, done.answer.ended) == (K.IDLE, Ended.IDLE)
    assert done.answer.error == "Claude Code was stopped: it was silent for 2 seconds."


def test_not_logged_in(desk: Desk) -> None:
    answer, _ = desk.do(desk.job())
    assert answer.trouble is not None
    assert answer.trouble.kind is K.AUTHENTICATION
    assert re.search(r"run `/\S+/claude` once and log in", answer.error)


def test_a_wrong_argument(desk: Desk) -> None:
    desk.settings = replace(desk.settings, args=("--nope",))
    answer, _ = desk.do(desk.job())
    assert answer.trouble is not None
    assert (answer.trouble.kind, answer.exit_code) == (K.EXIT, 1)
    assert "error: unknown option '--nope'" in answer.error
    assert "Look at claude.args" in answer.error


def test_a_session_that_is_gone(desk: Desk) -> None:
    session = "6f3c1d0e-2a55-4a55-9d6f-111111111111"
    answer, _ = desk.do(desk.job(session=session))
    assert answer.trouble is not None
    assert answer.trouble.kind is K.EXIT
    assert f"No conversation found with session ID: {session}" in answer.error


def test_too_many_turns(desk: Desk) -> None:
    desk.settings = replace(desk.settings, args=("--max-turns", "1"))
    script = Script((call("Bash", Tokens(1000, 10), command="true"), say("Never.")))
    done = desk.run(script)
    assert done.trouble is K.TURNS
    assert "Reached maximum number of turns (1)" in done.answer.error
    assert done.answer.usage.cost_usd == pytest.approx(0.0042, abs=1e-9)
    assert done.answer.models[MODEL].output_tokens == 10
