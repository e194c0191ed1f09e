"""Ralph drives the real Claude Code: work, words, tokens and money."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.claude_job import MODEL, Desk, used

from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.trouble import TroubleKind
from ralph.testing import ClaimedUsage as Tokens
from ralph.testing import Script, Text, Thinking, ToolUse, Turn, call, say


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_an_edit_a_command_and_an_answer(desk: Desk) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "hello\n"})
    script = Script(
        (
            Turn((Thinking("Hm."), Text("I write it."), write), Tokens(1000, 50, 200, 300)),
            call("Bash", Tokens(10, 20), command="cat a.txt > b.txt; echo $RALPH_TASK_ID $TMPDIR"),
            say("All done.", Tokens(30, 40), expect="US-001"),
        )
    )
    done = desk.run(script)
    answer = done.answer
    assert done.problems == ()
    assert (desk.workspace / "b.txt").read_text(encoding="utf-8") == "hello\n"
    assert answer.worked
    assert answer.text == "I write it.\nAll done."
    # Per million of the four kinds it takes 4, 20, 5 and 0.2 dollars.
    assert answer.usage == used(1040, 110, 200, 300, cost=0.00742)
    assert answer.models == {MODEL: answer.usage}
    assert (answer.calls, answer.tools) == (3, {"Write": 1, "Bash": 1})
    assert answer.session
    assert Path(answer.log).read_text(encoding="utf-8").count('"type":"result"') == 1

    kinds = [activity.kind for activity in done.heard]
    assert kinds.index(ActivityKind.SAID) < kinds.index(ActivityKind.TOOL)
    tools = [(activity.tool, activity.text) for activity in done.of(ActivityKind.TOOL)]
    assert tools[0] == ("Write", "a.txt")
    (_, told) = done.of(ActivityKind.RESULT)
    assert told.tool == "Bash"
    assert not Path(told.text.split()[-1]).exists()
    spent = [activity.usage for activity in done.of(ActivityKind.SPENT)]
    assert spent[-1] == answer.usage
    costs = [usage.cost_usd for usage in spent if usage and usage.cost_usd]
    assert costs == sorted(costs)
    # Before the result it was estimated, and rightly so.
    before = spent[-2]
    assert before is not None
    assert before.estimated
    assert before.cost_usd == pytest.approx(0.00742)


def test_what_it_sees_of_our_environment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_SECRET", "value")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "value")
    script = Script((call("Bash", command="env > seen"), say("Done.")))
    done = desk.run(script, variables={"MY_KEY": "let through"})
    seen = (desk.workspace / "seen").read_text(encoding="utf-8")
    assert done.answer.worked
    assert "MY_KEY=let through" in seen
    assert "CLAUDE_CODE_MAX_RETRIES=0" in seen
    assert "DISABLE_AUTOUPDATER=1" in seen
    assert "value" not in seen


def test_the_work_of_subagents_is_paid_for_too(desk: Desk) -> None:
    task = {"subagent_type": "general-purpose", "description": "Count"}
    main = (
        call("Agent", Tokens(100, 10), prompt="SUB-1: count them", **task),
        say("Three.", Tokens(100, 10), expect="There are 3."),
    )
    sub = (
        Turn(
            (Text("I finished the job."), ToolUse("Bash", {"command": "touch counted"})),
            Tokens(10, 1),
        ),
        say("There are 3.", Tokens(10, 1)),
    )
    done = desk.run(Script(main, {"SUB-1": sub}))
    assert done.problems == ()
    assert (done.answer.usage.input_tokens, done.answer.usage.output_tokens) == (220, 22)
    assert done.answer.usage.cost_usd == pytest.approx((220 * 4 + 22 * 20) / 1e6, abs=1e-9)
    # What a subagent says is not what the agent says.
    assert done.answer.text == "Three."
    assert done.answer.tools == {"Agent": 1, "Bash": 1}


def test_a_session_goes_on_and_nothing_is_counted_twice(desk: Desk) -> None:
    first = desk.run(Script((say("The magic word is xyzzy.", Tokens(100_000, 1000)),)))
    again = Script((call("Bash", Tokens(1000, 10), command="true"), say("Yes.", Tokens(500, 20))))
    session = first.answer.session
    second = desk.run(again, session=session, prompt="Once more.", budget_usd=0.1)
    assert second.answer.worked
    assert "xyzzy" in str(second.requests[0].body)
    assert second.answer.session == session
    assert first.answer.usage.cost_usd == pytest.approx(0.42)
    assert second.answer.usage == used(1500, 30, cost=0.0066)
    assert second.answer.models[MODEL].input_tokens == 1500


def test_huge_output_of_a_command(desk: Desk) -> None:
    shout = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end"
    done = desk.run(Script((call("Bash", command=shout), say("Loud."))), log_cap=20_000)
    assert (done.answer.worked, done.answer.text) == (True, "Loud.")
    assert all(len(activity.text) <= 300 for activity in done.heard)
    assert Path(done.answer.log).stat().st_size == 20_000


def test_no_process_is_left(desk: Desk) -> None:
    daemon = "setsid sh -c 'echo $$ > pid-1; exec sleep 300' >/dev/null 2>&1 &"
    wiped = "env -i setsid sh -c 'echo $$ > pid-2; exec sleep 300' >/dev/null 2>&1 &"
    born = "until [ -s pid-1 ] && [ -s pid-2 ]; do sleep 0.05; done"
    done = desk.run(Script((call("Bash", command=f"{daemon} {wiped} {born}"), say("Started."))))
    assert done.answer.worked
    pids = [int((desk.workspace / f"pid-{n}").read_text()) for n in (1, 2)]
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def test_it_may_not_write_outside_its_workspace(desk: Desk) -> None:
    outside = desk.folder / "outside.txt"
    write = call("Write", file_path=str(outside), content="x")
    done = desk.run(Script((write, say("I could not."))))
    assert (done.answer.worked, done.answer.ended) == (True, Ended.EXITED)
    assert not outside.exists()


def test_bypassing_permissions_is_the_programs_own_decision(desk: Desk) -> None:
    desk.settings = replace(desk.settings, args=("--dangerously-skip-permissions",))
    done = desk.run(Script((say("I may."),)))
    if os.geteuid() == 0:
        assert done.trouble is TroubleKind.PERMISSION
        assert "cannot be used with root" in done.answer.error
        assert "claude.permission_mode" in done.answer.error
    else:
        assert done.answer.worked
