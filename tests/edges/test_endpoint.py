"""The scripted endpoint as any HTTP client sees it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.support.project import wait_until

from ralph.testing import (
    BadModelScript,
    ClaimedUsage,
    Endpoint,
    Script,
    Text,
    Thinking,
    ToolUse,
    Turn,
    call,
    rate_limited,
    say,
    usage_limit,
)

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.testing import Request

MESSAGES = "/main/v1/messages?beta=true"
PATIENCE = 30


class Got(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        return dict(json.loads(self.text))

    @property
    def events(self) -> list[dict[str, Any]]:
        frames = [frame.split("\n") for frame in self.text.split("\n\n") if frame]
        read = [(name.removeprefix("event: "), json.loads(data[6:])) for name, data in frames]
        assert all(name == data["type"] for name, data in read)
        return [data for _, data in read]


def words(text: str = "Do it.", **fields: Any) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return {"model": "m-1", "tools": [{"name": "Bash"}], "messages": [message]} | fields


def post(
    port: int, body: object = None, path: str = MESSAGES, headers: dict[str, str] | None = None
) -> Got:
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request("POST", path, json.dumps(body or words()), headers or {})
        answer = connection.getresponse()
        return Got(answer.status, dict(answer.getheaders()), answer.read().decode())


def serve(*turns: Turn, **subagents: tuple[Turn, ...]) -> Endpoint:
    return Endpoint({"main": Script(turns, subagents)})


def test_a_plain_answer_has_the_blocks_and_the_tokens() -> None:
    blocks = (Thinking("Hm."), Text("I look."), ToolUse("Bash", {"command": "ls"}))
    with serve(
        Turn(blocks, ClaimedUsage(input=1, output=2, cache_write=3, cache_read=4))
    ) as endpoint:
        message = post(endpoint.port).body
    thinking, text, tool = message["content"]
    assert (thinking["thinking"], text["text"]) == ("Hm.", "I look.")
    assert (tool["name"], tool["input"]) == ("Bash", {"command": "ls"})
    assert message["model"] == "m-1"
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": 4,
    }


def test_a_streamed_answer_says_the_same_in_pieces() -> None:
    blocks = (Thinking("Hm."), Text("I look."), ToolUse("Bash", {"command": "ls"}))
    with serve(Turn(blocks, ClaimedUsage(1, 2, 3, 4))) as endpoint:
        got = post(endpoint.port, words(stream=True))
    assert got.headers["content-type"] == "text/event-stream"
    start, *middle, delta, stop = got.events
    assert (start["type"], stop["type"]) == ("message_start", "message_stop")
    assert start["message"]["usage"]["input_tokens"] == 1
    assert start["message"]["usage"]["output_tokens"] == 0
    assert delta["delta"]["stop_reason"] == "tool_use"
    assert delta["usage"]["output_tokens"] == 2
    pieces = [event["delta"] for event in middle if event["type"] == "content_block_delta"]
    assert pieces[0] == {"type": "thinking_delta", "thinking": "Hm."}
    assert pieces[2] == {"type": "text_delta", "text": "I look."}
    assert json.loads(pieces[3]["partial_json"]) == {"command": "ls"}
    starts = [event["index"] for event in middle if event["type"] == "content_block_start"]
    stops = [event["index"] for event in middle if event["type"] == "content_block_stop"]
    assert starts == stops == [0, 1, 2]


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (say("Done."), "end_turn"),
        (call("Bash", command="ls"), "tool_use"),
        (Turn(), "end_turn"),
        (Turn(stop_reason="refusal"), "refusal"),
    ],
)
def test_the_reason_to_stop_is_derived_or_given(turn: Turn, reason: str) -> None:
    with serve(turn) as endpoint:
        assert post(endpoint.port).body["stop_reason"] == reason


def test_turns_come_in_order_and_run_out() -> None:
    with serve(say("One."), say("Two.")) as endpoint:
        said = [post(endpoint.port).body["content"][0]["text"] for _ in range(2)]
        more = post(endpoint.port)
    assert said == ["One.", "Two."]
    assert more.status == 400
    assert "All 2 turns are taken" in more.body["error"]["message"]
    assert [request.turn for request in endpoint.requests] == [0, 1, None]
    assert endpoint.problems() == ["All 2 turns are taken; this request is one more."]


def test_the_last_turn_may_repeat() -> None:
    with serve(say("One."), Turn((Text("Again."),), repeat=True)) as endpoint:
        said = [post(endpoint.port).body["content"][0]["text"] for _ in range(4)]
    assert said == ["One.", "Again.", "Again.", "Again."]
    assert endpoint.problems() == []


def test_an_expected_text_must_be_in_the_request() -> None:
    expected = 'the "tests"\nfail: ünder'
    with serve(say("Repaired.", expect=expected)) as endpoint:
        refused = post(endpoint.port, words("Go on."))
        assert (refused.status, endpoint.left("main")) == (400, 1)
        assert f"expects `{expected}`" in refused.body["error"]["message"]
        assert post(endpoint.port, words(f"See: {expected}!")).status == 200
        assert endpoint.left("main") == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (MESSAGES, words(tools=[])),
        (MESSAGES, words("[SUGGESTION MODE: what next?]")),
        ("/main/v1/messages/count_tokens", words()),
    ],
)
def test_side_requests_take_no_turn(path: str, body: dict[str, Any]) -> None:
    with serve(say("Done.")) as endpoint:
        assert post(endpoint.port, body, path).status == 200
        assert endpoint.requests[0].side
        assert endpoint.left("main") == 1


def test_tokens_are_counted_roughly() -> None:
    with serve(say("Done.")) as endpoint:
        path = "/main/v1/messages/count_tokens"
        few = post(endpoint.port, words(), path).body["input_tokens"]
        many = post(endpoint.port, words("word " * 1000), path).body["input_tokens"]
    assert 0 < few < many < 5000


def test_an_error_has_its_status_type_message_and_headers() -> None:
    turn = Turn(status=529, headers={"x-mark": "7"})
    with serve(turn, Turn(status=418, error="teapot", message="Short and stout.")) as endpoint:
        usual, special = post(endpoint.port), post(endpoint.port, words(stream=True))
    assert (usual.status, usual.headers["x-mark"]) == (529, "7")
    assert usual.body["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    assert special.status == 418
    assert special.body["error"] == {"type": "teapot", "message": "Short and stout."}


def test_limits_carry_their_times_as_headers() -> None:
    with serve(rate_limited(1.5), usage_limit(1_800_000_000.7)) as endpoint:
        rate, usage = post(endpoint.port), post(endpoint.port)
    assert (rate.status, rate.headers["retry-after"]) == (429, "1.5")
    assert usage.headers["anthropic-ratelimit-unified-status"] == "rejected"
    assert usage.headers["anthropic-ratelimit-unified-reset"] == "1800000000"


def test_scripts_are_chosen_by_the_first_part_of_the_path() -> None:
    with Endpoint({"ada": Script((say("A."),)), "bob": Script((say("B."),))}) as endpoint:
        said = [
            post(endpoint.port, path=f"/{name}/v1/messages").body["content"][0]["text"]
            for name in ("bob", "ada")
        ]
        assert endpoint.url("bob") == f"http://127.0.0.1:{endpoint.port}/bob"
        with pytest.raises(BadModelScript, match="no script `eve`"):
            endpoint.url("eve")
    assert said == ["B.", "A."]


@pytest.mark.parametrize("path", ["/eve/v1/messages", "/main/v1/other", "/"])
def test_what_nobody_scripted_is_not_found(path: str) -> None:
    with serve(say("Done.")) as endpoint:
        assert post(endpoint.port, path=path).status == 404
    assert endpoint.problems() == [f"Nothing is scripted for {path}."]


def test_a_body_that_is_no_object_is_refused() -> None:
    with serve(say("Done.")) as endpoint:
        assert post(endpoint.port, ["a list"]).status == 400
        assert endpoint.left("main") == 1


def test_a_subagent_is_known_by_its_header_and_its_marker() -> None:
    agent = {"X-Claude-Code-Agent-Id": "a1"}
    with serve(say("Main."), COUNT=(say("Three."),)) as endpoint:
        sub = post(endpoint.port, words("COUNT the files"), headers=agent)
        lost = post(endpoint.port, words("Something else"), headers=agent)
        main = post(endpoint.port, words("COUNT the files"))
    assert sub.body["content"][0]["text"] == "Three."
    assert (lost.status, main.body["content"][0]["text"]) == (400, "Main.")
    assert [request.marker for request in endpoint.requests] == ["COUNT", "", ""]
    assert "no marker" in endpoint.problems()[0]


def test_the_log_masks_secrets() -> None:
    seen: list[Request] = []
    secrets = {"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "X-App": "cli"}
    with Endpoint({"main": Script((say("Done."),))}, watch=seen.append) as endpoint:
        post(endpoint.port, words("Hello."), headers=secrets)
    assert seen == endpoint.requests
    assert "s3cret" not in repr(seen)
    assert seen[0].headers["x-app"] == "cli"
    assert seen[0].headers["authorization"] == "masked"
    assert (seen[0].script, seen[0].path) == ("main", "/v1/messages")
    assert seen[0].body["messages"][0]["content"][0]["text"] == "Hello."
    assert abs(seen[0].time - time.time()) < PATIENCE


@pytest.mark.parametrize("stream", [True, False])
def test_a_dropped_answer_is_cut_off(*, stream: bool) -> None:
    with serve(Turn((Text("Never whole."),), drop=2, repeat=True)) as endpoint:
        with pytest.raises((HTTPException, ConnectionError)):
            post(endpoint.port, words(stream=stream))
        assert endpoint.requests[0].turn == 0


def test_garbage_is_sent_as_it_is() -> None:
    with serve(Turn(garbage="<html>")) as endpoint:
        got = post(endpoint.port, words(stream=True))
    assert (got.status, got.text) == (200, "<html>")


def test_an_answer_can_be_late_and_slow() -> None:
    with serve(Turn((Text("At last."),), delay=0.1, pace=0.02)) as endpoint:
        begun = time.monotonic()
        got = post(endpoint.port, words(stream=True))
        took = time.monotonic() - begun
    assert took >= 0.1 + 0.02 * (len(got.events) - 1)


@pytest.mark.parametrize(
    "turn", [Turn(hang=True), Turn(delay=3600), Turn((Text("x"),), pace=3600)], ids=repr
)
def test_closing_ends_what_hangs(turn: Turn) -> None:
    broken = threading.Event()

    def wait(port: int) -> None:
        try:
            post(port, words(stream=True))
        except (HTTPException, ConnectionError):
            broken.set()

    with serve(turn) as endpoint:
        client = threading.Thread(target=wait, args=(endpoint.port,))
        client.start()
        wait_until(lambda: bool(endpoint.requests), "the request")
        assert not broken.is_set()
    client.join(PATIENCE)
    assert broken.is_set()


def test_closing_ends_connections_that_are_kept_open() -> None:
    with serve(say("Done.")) as endpoint:
        connection = HTTPConnection("127.0.0.1", endpoint.port, timeout=PATIENCE)
        connection.request("POST", MESSAGES, json.dumps(words()))
        assert connection.getresponse().read()
    with closing(connection):
        assert connection.sock.recv(1) == b""


def test_it_starts_at_once() -> None:
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        with serve(say("Done.")):
            times.append(time.perf_counter() - begun)
    assert min(times) < 0.02


def test_the_environment_names_one_account() -> None:
    with serve(say("Done.")) as endpoint:
        key = endpoint.environment("main")
        token = endpoint.environment("main", subscription=True)
        assert key["ANTHROPIC_BASE_URL"] == token["ANTHROPIC_BASE_URL"] == endpoint.url("main")
    assert key.keys() - token.keys() == {"ANTHROPIC_API_KEY"}
    assert token.keys() - key.keys() == {"CLAUDE_CODE_OAUTH_TOKEN"}


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_the_program_serves_until_it_is_told_to_end(ending: signal.Signals, tmp_path: Path) -> None:
    script, log = tmp_path / "script.json", tmp_path / "log.jsonl"
    script.write_text('{"turns": [{"content": [{"type": "text", "text": "Hi."}]}]}')
    command = [sys.executable, "-m", "ralph.testing", str(script), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            name, url = process.stdout.readline().split(": ", 1)
            assert name == "# main"
            assert process.stdout.readline() == f"export ANTHROPIC_BASE_URL={url}"
            got = post(int(url.rsplit(":", 1)[1].split("/")[0]), words("Hello."))
            assert got.body["content"][0]["text"] == "Hi."
        finally:
            process.send_signal(ending)
        assert process.wait(PATIENCE) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["script"], line["turn"], line["side"]) for line in lines] == [("main", 0, False)]


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [('{"turns": [{"x": 1}]}', 2, "unknown field `x`"), (None, 1, "cannot be started")],
)
def test_the_program_says_why_it_cannot(
    text: str | None, status: int, message: str, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    if text is not None:
        script.write_text(text)
    command = [sys.executable, "-m", "ralph.testing", str(script)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
