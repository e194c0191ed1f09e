"""What codex, gemini and opencode print is understood: lines as the real programs wrote them.

Seen of codex 0.166, gemini-cli 0.61 and opencode 1.18 against scripted endpoints; shortened.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from ralph.agents import codex, gemini, opencode
from ralph.agents.program import LINE_CAP, JsonStream
from ralph.agents.report import Report
from ralph.agents.words import HEAD, TAIL
from ralph.domain.activity import ActivityKind
from ralph.domain.trouble import TroubleKind as K
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from ralph.agents.program import Hear
    from ralph.domain.activity import Activity

CODEX = """\
{"type":"thread.started","thread_id":"01a1e28f-347a-71f2-ad27-0815381d9009"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"I write."}}
{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"cat a","aggregated_output":"","exit_code":null,"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_2","type":"command_execution","command":"cat a","aggregated_output":"hello\\n","exit_code":0,"status":"completed"}}
{"type":"item.completed","item":{"id":"item_3","type":"file_change","changes":[{"path":"a.py","kind":"update"},{"path":"b.py","kind":"add"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"item_4","type":"mcp_tool_call","server":"s","tool":"look","arguments":{"query":"x"},"status":"completed"}}
{"type":"item.completed","item":{"id":"item_5","type":"web_search","query":"how"}}
{"type":"item.completed","item":{"id":"item_6","type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"id":"item_7","type":"agent_message","text":"All done."}}
{"type":"turn.completed","usage":{"input_tokens":1030,"cached_input_tokens":300,"cache_write_input_tokens":0,"output_tokens":90,"reasoning_output_tokens":0}}
"""  # noqa: E501 - lines as they come

GEMINI = """\
YOLO mode is enabled. All tool calls will be automatically approved.
{"type":"init","session_id":"9e3fd134","model":"auto"}
{"type":"message","role":"user","content":"Do it."}
{"type":"message","role":"assistant","content":"I wr","delta":true}
{"type":"message","role":"assistant","content":"ite.","delta":true}
{"type":"tool_use","tool_name":"write_file","tool_id":"w_0","parameters":{"file_path":"a.txt","content":"hello"}}
{"type":"tool_result","tool_id":"w_0","status":"success"}
{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}
{"type":"message","role":"assistant","content":"All done.","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":1450,"input_tokens":1340,"output_tokens":110,"cached":300,"input":1040,"duration_ms":362,"tool_calls":1,"models":{"gemini-3.5-flash-lite":{"total_tokens":0,"input_tokens":0,"output_tokens":0,"cached":0,"input":0},"gemini-3.8-flash":{"total_tokens":1450,"input_tokens":1340,"output_tokens":110,"cached":300,"input":1040}}}}
"""

OPENCODE = """\
{"type":"step_start","sessionID":"ses_1","part":{"type":"step-start"}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"I write."}}
{"type":"tool_use","sessionID":"ses_1","part":{"type":"tool","tool":"write","callID":"toolu_8","state":{"status":"completed","input":{"filePath":"a.txt","content":"hello"},"output":"Wrote file successfully.","title":"a.txt"}}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","type":"step-finish","tokens":{"total":1550,"input":1000,"output":50,"reasoning":0,"cache":{"write":200,"read":300}},"cost":0.00459}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","synthetic":true,"text":"The conversation was compacted."}}
{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"All done."}}
{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","type":"step-finish","tokens":{"total":70,"input":30,"output":35,"reasoning":5,"cache":{"write":0,"read":0}},"cost":0.00069}}
"""  # noqa: E501 - the same


def read(hear: Hear, text: str, size: int = 7) -> tuple[Report, list[Activity]]:
    """Feed it in small pieces, as a pipe may."""
    heard: list[Activity] = []
    stream = JsonStream(Report(heard.append), hear)
    data = text.encode()
    for start in range(0, len(data), size):
        stream.feed(data[start : start + size])
    stream.close()
    return stream.report, heard


def told(heard: list[Activity], kind: ActivityKind) -> list[tuple[str, str]]:
    return [(one.tool, one.text) for one in heard if one.kind is kind]


def test_codex() -> None:
    report, heard = read(codex.hear, CODEX)
    assert report.text == "I write.\nAll done."
    assert report.usage == Usage(730, 90, 0, 300)
    assert (report.over, report.failed) == (True, False)
    assert told(heard, ActivityKind.TOOL) == [
        ("command_execution", "cat a"),
        ("file_change", "a.py"),
        ("file_change", "b.py"),
        ("look", "x"),
        ("web_search", "how"),
    ]
    assert told(heard, ActivityKind.RESULT) == [("command_execution", "hello")]
    assert told(heard, ActivityKind.SAID) == [("", "I write."), ("", "All done.")]


def test_gemini() -> None:
    report, heard = read(gemini.hear, GEMINI)
    assert report.text == "I write.\nAll done."
    assert report.usage == Usage(1040, 110, 0, 300)
    assert report.models == {"gemini-3.8-flash": Usage(1040, 110, 0, 300)}
    assert (report.session, report.over, report.failed) == ("9e3fd134", True, False)
    assert told(heard, ActivityKind.TOOL) == [("write_file", "a.txt")]
    assert told(heard, ActivityKind.RESULT) == [("write_file", "")]
    assert told(heard, ActivityKind.SAID) == [("", "I write."), ("", "All done.")]


def test_opencode() -> None:
    report, heard = read(opencode.hear, OPENCODE)
    assert report.text == "I write.\nAll done."
    assert replace(report.usage, cost_usd=None) == Usage(1030, 90, 200, 300)
    assert report.usage.cost_usd == pytest.approx(0.00528)
    assert (report.session, report.calls, report.over) == ("ses_1", 2, True)
    assert not report.failed
    assert told(heard, ActivityKind.TOOL) == [("write", "a.txt")]
    assert told(heard, ActivityKind.RESULT) == [("write", "Wrote file successfully.")]
    spent = [one.usage.cost_usd for one in heard if one.usage]
    assert spent == [0.00459, pytest.approx(0.00528)]


FAILURES: list[tuple[Hear, object, str, int]] = [
    (codex.hear, {"type": "turn.failed", "error": {"message": "unexpected status 401"}}, "", 0),
    (
        codex.hear,
        {"type": "error", "message": "Codex ran out of room in the model's context window."},
        K.PROMPT_TOO_LONG,
        0,
    ),
    (codex.hear, {"type": "error", "message": "experiencing high demand"}, K.OVERLOAD, 0),
    (
        gemini.hear,
        {"type": "error", "severity": "error", "message": "The model response was blocked due to"},
        K.REFUSAL,
        0,
    ),
    (
        gemini.hear,
        {
            "type": "result",
            "status": "error",
            "error": {"message": '[API Error: {"error":{"code":401,"status":"UNAUTHENTICATED"}}]'},
        },
        "UNAUTHENTICATED",
        401,
    ),
    (
        opencode.hear,
        {
            "type": "error",
            "error": {"name": "APIError", "data": {"message": "no", "statusCode": 429}},
        },
        "",
        429,
    ),
    (opencode.hear, {"type": "error", "error": {"name": "ContentFilterError"}}, K.REFUSAL, 0),
    (opencode.hear, {"type": "step_finish", "part": {"reason": "length"}}, K.TURNS, 0),
]


@pytest.mark.parametrize(("hear", "event", "word", "status"), FAILURES)
def test_failures(hear: Hear, event: object, word: str, status: int) -> None:
    report, _ = read(hear, json.dumps(event))
    assert report.failed
    assert report.words == ((word,) if word else ())
    assert report.status == status


@pytest.mark.parametrize(
    ("hear", "failure", "success"),
    [
        (
            codex.hear,
            {"type": "error", "message": "Reconnecting... 1/5"},
            {"type": "turn.completed"},
        ),
        (
            gemini.hear,
            {"type": "error", "severity": "error", "message": "empty response"},
            {"type": "result", "status": "success"},
        ),
        (
            opencode.hear,
            {"type": "error", "error": {"name": "ContextOverflowError"}},
            {"type": "step_finish", "part": {"reason": "stop"}},
        ),
    ],
)
def test_a_failure_that_was_overcome_is_none(hear: Hear, failure: object, success: object) -> None:
    report, _ = read(hear, f"{json.dumps(failure)}\n{json.dumps(success)}\n")
    assert (report.failed, report.error, report.words) == (False, "", ())


@pytest.mark.parametrize("hear", [codex.hear, gemini.hear, opencode.hear])
def test_whatever_comes_is_survived(hear: Hear) -> None:
    strange = (
        '{"type": 7}\n{"type":"unheard.of"}\nnull\n[]\n{\n'
        '{"type":"item.completed","item":"text"}\n{"type":"result","stats":[]}\n'
        '{"type":"step_finish","part":{"tokens":"many","cost":"dear"}}\n{"type":"error"}\n'
    )
    report, _ = read(hear, strange)
    assert (report.text, report.usage.input_tokens) == ("", 0)


def test_memory_is_bounded() -> None:
    stream = JsonStream(Report(lambda _: None), gemini.hear)
    piece = json.dumps({"type": "message", "role": "assistant", "content": "x" * 10_000}) + "\n"
    for _ in range(200):
        stream.feed(piece.encode())
    stream.feed(b'{"type":"message","role":"assistant","content":"' + b"y" * (2 * LINE_CAP))
    stream.feed(b'"}\n{"type":"message","role":"assistant","content":"The end."}\n')
    stream.close()
    text = stream.report.text
    assert len(text) < HEAD + TAIL + 100
    assert "characters left out" in text
    assert text.endswith("The end.")
    assert "y" not in text


def test_noise_is_kept_for_the_message() -> None:
    stream = JsonStream(Report(lambda _: None), codex.hear)
    stream.feed(b"".join(b"line %d\n" % n for n in range(100)) + b"panic: out of luck")
    stream.close()
    assert stream.noise.splitlines()[-1] == "panic: out of luck"
    assert len(stream.noise.splitlines()) == 5
