"""An ACP agent is greeted, told its job, watched, allowed what it may do, and let go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.acp_stand_in import Stage

from ralph.agents import acp, acp_talk
from ralph.agents.preset import Preset
from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.errors import AgentError
from ralph.domain.settings import Speech
from ralph.domain.trouble import TroubleKind as K
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.agents.line import Line
    from ralph.domain.activity import Activity

END = 'answer(prompt, stopReason="end_turn")'


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_it_says_works_and_spends(stage: Stage) -> None:
    done = stage.run(
        """
greet()
prompt = read()
say("I wr", messageId="m-1")
say("ite.", messageId="m-1")
update("tool_call", toolCallId="t-1", title="Preparing", kind="edit", rawInput={})
update("tool_call_update", toolCallId="t-1", title="Write a.txt", rawInput={"path": "a.txt"})
open("a.txt", "w").write(prompt["params"]["prompt"][0]["text"])
update("tool_call_update", toolCallId="t-1", status="completed")
update("usage_update", used=10, size=100, cost={"amount": 0.25, "currency": "USD"})
say("Done.", messageId="m-2")
tokens = {"totalTokens": 17, "inputTokens": 10, "outputTokens": 4, "cachedReadTokens": 3}
answer(prompt, stopReason="end_turn", usage=tokens)
read()
"""
    )
    assert done.answer.worked
    assert done.answer.text == "I write.\nDone."
    assert done.answer.usage == Usage(10, 4, 0, 3, 0.25)
    assert done.answer.tools == {"edit": 1}
    assert [one.text for one in done.of(ActivityKind.SAID)] == ["I write.", "Done."]
    assert [(one.tool, one.text) for one in done.of(ActivityKind.TOOL)] == [("edit", "Write a.txt")]
    assert [one.tool for one in done.of(ActivityKind.RESULT)] == ["edit"]
    assert (stage.workspace / "a.txt").read_text() == "Do it."


def test_tokens_by_model_in_the_way_of_gemini(stage: Stage) -> None:
    done = stage.run(
        """
greet()
prompt = read()
say("Done.")
count = {"input_tokens": 10, "output_tokens": 4}
quota = {"token_count": count, "model_usage": [{"model": "m", "token_count": count}]}
answer(prompt, stopReason="end_turn", _meta={"quota": quota})
"""
    )
    assert done.answer.usage == Usage(10, 4)
    assert done.answer.models == {"m": Usage(10, 4)}


def test_what_it_was_told_of_the_client(stage: Stage) -> None:
    done = stage.run(
        """
greeting = read()
answer(greeting, protocolVersion=1, agentCapabilities={})
new = read()
answer(new, sessionId="s-1")
prompt = read()
say(json.dumps([greeting["params"].get("clientCapabilities"), new["params"]["cwd"]]))
"""
        + END
    )
    capabilities, folder = json.loads(done.answer.text)
    assert folder == str(stage.workspace)
    assert not capabilities, "it offers neither files nor terminals"


def test_errors_among_its_messages_do_no_harm(stage: Stage) -> None:
    done = stage.run(
        """
sys.stderr.write("Loading...\\n"); sys.stderr.flush()
greet()
prompt = read()
sys.stderr.write("half a line "); sys.stderr.flush()
say("Still here.")
"""
        + END
    )
    assert (done.answer.worked, done.answer.text) == (True, "Still here.")


ASKS = """
greet()
prompt = read()
call = {"toolCallId": "t-1", "kind": KIND, "title": "x", "locations": [{"path": PATH}]}
say(str(ask(call, "allow_always", "allow_once", "reject_once")))
"""


@pytest.mark.parametrize(
    ("kind", "path", "chosen"),
    [
        ("edit", "a.txt", "allow_once"),
        ("edit", "{workspace}/deep/a.txt", "allow_once"),
        ("edit", "{workspace}/../a.txt", "reject_once"),
        ("delete", "/etc/hosts", "reject_once"),
        ("move", "link/a.txt", "reject_once"),
        ("execute", "/usr/bin", "allow_once"),
        ("read", "/etc/hosts", "allow_once"),
    ],
)
def test_it_may_change_only_its_workspace(stage: Stage, kind: str, path: str, chosen: str) -> None:
    (stage.workspace / "link").symlink_to(stage.folder)
    path = path.format(workspace=stage.workspace)
    done = stage.run(ASKS.replace("KIND", repr(kind)).replace("PATH", repr(path)) + END)
    assert done.answer.text == chosen


def test_a_question_without_an_option_that_fits_is_declined(stage: Stage) -> None:
    code = ASKS.replace("KIND", "'edit'").replace("PATH", "'/etc/hosts'")
    done = stage.run(code.replace(', "reject_once"', "") + END)
    assert done.answer.text == "None"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("refusal", K.REFUSAL), ("max_tokens", K.TURNS), ("max_turn_requests", K.TURNS)],
)
def test_reasons_to_stop(stage: Stage, reason: str, kind: K) -> None:
    done = stage.run(f'greet()\nprompt = read()\nsay("x")\nanswer(prompt, stopReason="{reason}")')
    assert (done.trouble, done.answer.ended) == (kind, Ended.EXITED)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('-32000, "Authentication required"', K.AUTHENTICATION),
        ('429, "Slow down."', K.RATE_LIMIT),
        ('500, \'{"error": {"code": 503, "message": "Later."}}\'', K.OVERLOAD),
        ('-32603, "Internal error", {"details": "fetch failed: ECONNREFUSED"}', K.CONNECTION),
        ('-32603, "Internal error: no", {"errorKind": "rate_limit"}', K.RATE_LIMIT),
        ('-32603, "Internal error"', K.EXIT),
    ],
)
def test_errors_that_it_tells(stage: Stage, error: str, kind: K) -> None:
    done = stage.run(f"greet()\nprompt = read()\nfail(prompt, {error})\nread()")
    assert (done.trouble, done.answer.exit_code) == (kind, 1)


def test_it_dies_while_it_works(stage: Stage) -> None:
    done = stage.run('greet()\nread()\nsys.exit("Segmentation violation at 0x7")')
    assert done.trouble is K.EXIT
    assert "Segmentation violation" in done.answer.error


def test_it_ends_without_an_answer(stage: Stage) -> None:
    assert stage.run("greet()\nread()\nsay('x')").trouble is K.GARBAGE


@pytest.mark.parametrize(
    "code",
    ["print('Welcome to the agent!')", 'greet()\nanswer(read(), stopReason="because")\nread()'],
)
def test_it_does_not_speak_the_protocol(stage: Stage, code: str) -> None:
    assert stage.run(code).trouble is K.GARBAGE


def test_it_answers_nothing(stage: Stage) -> None:
    assert stage.run(f"greet()\nprompt = read()\n{END}").trouble is K.EMPTY


def test_a_message_that_is_too_long_is_left_out(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_talk, "LINE_CAP", 1 << 16)
    done = stage.run(f"greet()\nprompt = read()\nsay('x' * (1 << 17))\nsay('Done.')\n{END}")
    assert (done.answer.worked, done.answer.text) == (True, "Done.")


def test_one_that_stays_after_its_answer_is_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_talk, "LINGER_SECONDS", 0.1)
    done = stage.run(f"greet()\nprompt = read()\nsay('Done.')\n{END}\ntime.sleep(60)")
    assert (done.answer.worked, done.answer.ended) == (True, Ended.EXITED)
    assert done.answer.seconds < 30


CANCELLED = """
greet()
prompt = read()
update("usage_update", used=1, size=9, cost={"amount": 0.75, "currency": "USD"})
say("I begin.")
update("tool_call", toolCallId="t-1", title="work", kind="execute")
assert read()["method"] == "session/cancel"
answer(prompt, stopReason="cancelled")
"""


def interrupt(line: Line, activity: Activity) -> None:
    if activity.kind is ActivityKind.TOOL:
        assert line.interrupt()


def test_an_interrupt_stops_it(stage: Stage) -> None:
    done = stage.run(CANCELLED, interrupt)
    assert (done.answer.ended, done.trouble) == (Ended.STOPPED, None)
    assert done.answer.text == "I begin."


def test_one_that_ignores_an_interrupt_is_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acp_talk, "LINGER_SECONDS", 0.1)
    code = "greet()\nread()\nupdate('tool_call', toolCallId='t', title='x')\ntime.sleep(60)"
    done = stage.run(code, interrupt)
    assert (done.answer.ended, done.trouble) == (Ended.STOPPED, None)
    assert done.answer.seconds < 30


def test_it_is_interrupted_when_it_has_spent_enough(stage: Stage) -> None:
    done = stage.run(CANCELLED, budget_usd=0.5)
    assert (done.trouble, done.answer.usage.cost_usd) == (K.BUDGET, 0.75)


NUDGED = """
greet()
first = read()
update("tool_call", toolCallId="t-1", title="work", kind="execute")
second = read()
answer(first, stopReason="end_turn")
say("You said: " + second["params"]["prompt"][0]["text"])
answer(second, stopReason="end_turn")
read()
"""


def test_a_nudge_is_a_second_prompt(stage: Stage) -> None:
    def nudge(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.TOOL:
            assert line.nudge("Use tabs.")

    stage.preset = replace(stage.preset, nudges=True)
    done = stage.run(NUDGED, nudge)
    assert (done.answer.worked, done.answer.text) == (True, "You said: Use tabs.")
    assert len(done.of(ActivityKind.NUDGED)) == 1


def test_one_that_a_second_prompt_would_disturb_is_not_nudged(stage: Stage) -> None:
    told: list[bool] = []

    def nudge(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.TOOL:
            told.append(line.nudge("Use tabs."))

    code = "greet()\nprompt = read()\nupdate('tool_call', toolCallId='t', title='x')\n"
    stage.run(code + END, nudge)
    assert told == [False]


OFFER = '{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "a", "options": [{"value": "b", "name": "B"}]}'  # noqa: E501 - one JSON object


def test_its_model_is_chosen(stage: Stage) -> None:
    stage.preset = replace(stage.preset, model="b")
    code = f"""
greet(configOptions=[json.loads('''{OFFER}''')])
choice = read()
answer(choice, configOptions=[])
prompt = read()
say(choice["params"]["configId"] + " " + choice["params"]["value"])
{END}
"""
    assert stage.run(code).answer.text == "model b"


def test_one_that_offers_no_models_says_so(stage: Stage) -> None:
    stage.preset = replace(stage.preset, model="b")
    done = stage.run("greet()\nread()")
    assert done.trouble is K.MODEL_NOT_FOUND
    assert "its model cannot be chosen" in done.answer.error


def test_the_client_library_may_be_missing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acp, "LIBRARY", "no_such_library")
    with pytest.raises(AgentError) as raised:
        stage.agent("").check()
    assert "pip install '.[acp]'" in str(raised.value)


def test_the_program_may_be_missing() -> None:
    agent = acp.AcpAgent("mine", Preset(("no-such-program", "acp"), Speech.ACP))
    with pytest.raises(AgentError, match="no-such-program"):
        agent.check()
