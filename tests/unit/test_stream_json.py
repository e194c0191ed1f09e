from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents.stream_json import Decoder
from ralph.agents.words import HEAD, TAIL
from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.usage import Usage


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}], **more}}


def read(data: bytes, step: int = 1 << 20, cap: int = 1 << 24) -> Decoder:
    decoder = Decoder(cap)
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    decoder.close()
    return decoder


INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "All done.",
    "session_id": "s-1",
    "total_cost_usd": 0.25,
    "usage": {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 40,
    },
}


def test_words_result_session_and_usage() -> None:
    tool = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "x"}]}}
    decoder = read(lines(INIT, says("I look."), tool, says("I write."), RESULT))
    assert decoder.recognised
    assert decoder.text == "I look.\nI write.\nAll done."
    assert decoder.session_id == "s-1"
    assert decoder.usage == Usage(10, 20, 30, 40, 0.25)
    assert decoder.error == ""


def test_a_result_that_repeats_the_last_words_is_said_once() -> None:
    decoder = read(lines(INIT, says("All done."), RESULT))
    assert decoder.text == "All done."
    assert decoder.text == "All done."


def test_thinking_and_tools_are_not_words() -> None:
    blocks = [
        {"type": "thinking", "thinking": "DONE"},
        {"type": "tool_use", "input": {"a": "DONE"}},
    ]
    decoder = read(lines(INIT, {"type": "assistant", "message": {"content": blocks}}))
    assert decoder.text == ""


def test_content_may_be_a_plain_text() -> None:
    decoder = read(lines({"type": "assistant", "message": {"content": "hello"}}))
    assert decoder.text == "hello"


def test_usage_by_model_is_cumulative_and_wins() -> None:
    def result(tokens: int, cost: float) -> dict[str, Any]:
        model = {"inputTokens": tokens, "outputTokens": 1, "cacheReadInputTokens": 2}
        return {**RESULT, "total_cost_usd": cost, "modelUsage": {"big": model, "small": model}}

    decoder = read(lines(INIT, result(100, 0.5), result(300, 0.75)))
    assert decoder.usage == Usage(600, 2, 0, 4, 0.75)


def test_usage_per_turn_is_added_up() -> None:
    assert read(lines(INIT, RESULT, RESULT)).usage == Usage(20, 40, 60, 80, 0.25)


def test_without_a_result_the_cost_is_estimated() -> None:
    message = {"id": "m", "model": "claude-opus-5-5", "usage": {"input_tokens": 500_000}}
    decoder = read(lines(INIT, says("hm", **message), says("hm", **message)))
    assert decoder.usage.input_tokens == 500_000
    assert decoder.usage.cost_usd == pytest.approx(2, rel=0.001)
    assert decoder.usage.estimated


def test_with_neither_result_nor_tokens_the_cost_is_unknown() -> None:
    assert read(lines(INIT, says("hm"))).usage == Usage()


def test_errors_are_told_by_the_flag_not_the_subtype() -> None:
    broken = {**RESULT, "is_error": True, "api_error_status": 401, "result": "Invalid API key\nx"}
    decoder = read(lines(INIT, broken))
    assert decoder.is_error
    assert (decoder.error, decoder.status) == ("Invalid API key", 401)


def test_a_usage_limit_says_when_it_is_lifted() -> None:
    info = {"status": "rejected", "resetsAt": 1_800_000_000, "rateLimitType": "five_hour"}
    limited = {**RESULT, "is_error": True, "api_error": "usage_limit_reached", "result": "Limit"}
    decoder = read(lines(INIT, {"type": "rate_limit_event", "rate_limit_info": info}, limited))
    assert decoder.resets_at == 1_800_000_000
    assert "usage_limit_reached" in decoder.words
    assert decoder.error == "Limit"


def test_an_allowed_rate_limit_event_is_no_limit() -> None:
    event = {"type": "rate_limit_event", "status": "allowed", "resetsAt": 1_800_000_000}
    assert read(lines(INIT, event)).resets_at is None


@pytest.mark.parametrize(
    "data",
    [b"", b"\n\n", b"hello\n", b'"type"\n', b'{"kind": 1}\n', b'{"type": 1}\n', b"[1]\n", b"{\n"],
)
def test_plain_text_is_not_taken_for_a_stream(data: bytes) -> None:
    assert not read(data).recognised


def test_json_in_plain_text_does_not_make_it_a_stream() -> None:
    assert not read(b"I wrote this:\n" + lines(says("x"), RESULT)).recognised


def test_warnings_before_the_stream_do_not_hide_it() -> None:
    decoder = read(b"warning: old node\n\n" + lines(INIT, says("on")))
    assert (decoder.recognised, decoder.text) == (True, "on")


def test_long_plain_text_is_given_up() -> None:
    assert not read(b"line\n" * 200 + lines(INIT)).recognised


def test_garbage_between_events_is_counted_and_kept_in_mind() -> None:
    decoder = read(lines(INIT) + b"Segmentation fault\n{broken\n\n" + lines(says("on")))
    assert (decoder.bad_lines, decoder.text) == (2, "on")
    assert decoder.noise == "Segmentation fault\n{broken"


def test_broken_utf8_and_half_surrogates_become_whole_characters() -> None:
    raw = lines(INIT, says("@1 @2")).replace(b"@1", b"a\xff\xfe").replace(b"@2", b"\\ud800b")
    decoder = read(raw)
    assert decoder.text == "a\ufffd\ufffd ?b"
    assert decoder.text.encode()


def test_lines_over_the_cap_are_dropped_and_counted() -> None:
    data = lines(INIT, says("x" * 5000), says("on"), says("y" * 900))
    decoder = read(data, step=700, cap=1000)
    assert (decoder.dropped_lines, decoder.text) == (1, "on\n" + "y" * 900)


def test_a_last_line_over_the_cap_is_counted_too() -> None:
    assert read(lines(INIT) + b"z" * 5000, cap=1000).dropped_lines == 1


def test_much_text_keeps_its_head_and_its_tail() -> None:
    decoder = read(lines(INIT, says("first"), *[says("x" * 10_000)] * 100, says("last")))
    text = decoder.text
    assert text.startswith("first\n")
    assert text.endswith("\nlast")
    assert len(text) < HEAD + TAIL + 100
    whole = len("first") + 100 * 10_001 + len("\nlast")
    assert f"[… {whole - HEAD - TAIL} characters left out …]" in text


@pytest.mark.parametrize(
    "event",
    [
        {"type": "assistant", "message": {"content": [1, None, {"type": "text", "text": 5}]}},
        {"type": "assistant", "message": [1]},
        {"type": "result", "result": {"a": 1}, "total_cost_usd": "free", "usage": 7},
        {"type": "result", "total_cost_usd": -1, "usage": {"input_tokens": True}},
        {"type": "result", "modelUsage": {"m": None}, "total_cost_usd": 1e400},
        {"type": "rate_limit_event", "status": "rejected", "resetsAt": 10**30},
    ],
)
def test_events_of_another_shape_do_no_harm(event: dict[str, Any]) -> None:
    decoder = read(lines(INIT, event))
    assert (decoder.text, decoder.usage, decoder.error) == ("", Usage(), "")
    assert decoder.resets_at is None


def test_deep_nesting_does_no_harm() -> None:
    deep = b'{"type": "assistant", "message": ' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
    assert read(lines(INIT) + deep + lines(says("on"))).text == "on"


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1), st.integers(1, 50))
def test_where_the_bytes_are_cut_makes_no_difference(texts: list[str], step: int) -> None:
    data = lines(INIT, *map(says, texts), RESULT)
    cut, whole = read(data, step), read(data)
    assert cut.text == whole.text == "\n".join([*texts, "All done."])
    assert cut.usage == whole.usage


@given(st.lists(st.one_of(st.binary(), st.just(b"\n"), st.just(lines(INIT, says("x"))))))
def test_any_bytes_are_survived(parts: list[bytes]) -> None:
    decoder = Decoder(500)
    for part in parts:
        decoder.feed(part)
    decoder.feed(b"\n" + lines(says("still here")))
    decoder.close()
    assert decoder.text.endswith("still here" if decoder.recognised else "")
    assert decoder.text.encode().decode() == decoder.text


def activities(*events: object, clock: Any = lambda: 0.0) -> list[Activity]:
    heard: list[Activity] = []
    decoder = Decoder(heard=heard.append, clock=clock)
    decoder.feed(lines(INIT, *events))
    return heard


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"content": list(blocks)}, **more}


def test_what_it_does_is_told() -> None:
    use = {"type": "tool_use", "id": "t-1", "name": "Bash", "input": {"n": 1, "command": "ls  -l"}}
    answer = {
        "type": "tool_result",
        "tool_use_id": "t-1",
        "content": [{"type": "text", "text": "a\nb"}],
    }
    message = {"type": "assistant", "message": {"content": [use]}}
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "error": "x"}
    heard = activities(says("Hello\nworld"), message, user(answer), retry | {"error_status": 500})
    assert heard == [
        Activity(ActivityKind.SAID, "Hello world"),
        Activity(ActivityKind.TOOL, "ls -l", "Bash"),
        Activity(ActivityKind.RESULT, "a b", "Bash", digest=heard[2].digest),
        Activity(ActivityKind.RETRYING, "try 1 of 2 in 0.0 s: x 500"),
    ]


def test_what_is_told_is_bounded() -> None:
    use = {"type": "tool_use", "name": "n" * 1000, "input": {"anything": "y" * 100_000}}
    heard = activities(says("x" * 100_000), {"type": "assistant", "message": {"content": [use]}})
    assert [len(activity.text) for activity in heard] == [300, 300]
    assert len(heard[1].tool) == 300


def test_tools_without_number_are_counted_in_bounds() -> None:
    uses = [{"type": "tool_use", "id": str(n), "name": f"tool {n}"} for n in range(500)]
    decoder = read(lines(INIT, {"type": "assistant", "message": {"content": uses}}))
    assert len(decoder.tools) == 101
    assert (decoder.tools.total(), decoder.tools["others"]) == (500, 400)


def test_a_sign_of_life_is_told_once_a_second() -> None:
    delta = {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}}
    event = {"type": "stream_event", "event": delta}
    times = iter([0.0, 0.4, 0.9, 1.0, 1.1])
    heard = activities(*[event] * 5, clock=lambda: next(times))
    assert heard == [Activity(ActivityKind.THOUGHT)] * 2


def test_a_nudge_is_told_when_it_is_taken_up() -> None:
    replay = {"type": "user", "isReplay": True, "message": {"content": "Do it."}}
    nudge = user({"type": "text", "text": "Faster."}, isReplay=True)
    assert activities(replay, nudge) == [Activity(ActivityKind.NUDGED, "Faster.")]


def test_what_subagents_say_is_not_the_agents_word() -> None:
    decoder = read(lines(INIT, says("<promise>DONE</promise>") | {"parent_tool_use_id": "t-1"}))
    assert decoder.text == ""


def test_a_result_ends_the_answer_and_work_begins_another() -> None:
    asking = {"type": "system", "subtype": "status", "status": "requesting"}
    other = {"type": "system", "subtype": "hook_response"}
    seen = []
    decoder = Decoder(sure=True)
    for event in (INIT, RESULT, other, asking, RESULT, says("more")):
        decoder.feed(lines(event))
        seen.append(decoder.answering)
    assert seen == [True, False, False, True, False, True]
    assert decoder.results == 2


def test_a_stream_that_is_sure_needs_no_beginning() -> None:
    decoder = Decoder(sure=True)
    decoder.feed(b"error: unknown option\n" + b"noise\n" * 100 + lines(says("on")))
    assert decoder.text == "on"
    assert decoder.noise == "noise\n" * 4 + "noise"
