"""What the real Claude Code does not do on request: hang, babble, break. Small programs do it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.claude_job import Desk, used, when

from ralph.agents import claude, claude_talk
from ralph.domain.activity import ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.trouble import TroubleKind as K
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity

WAIT = "time.sleep(60)"
DEAF = "signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_talk, "LINGER_SECONDS", 0.2)
    monkeypatch.setattr(claude, "GRACE_SECONDS", 0.3)


def test_the_prompt_and_the_arguments_arrive(desk: Desk) -> None:
    done = desk.stand_in(
        "words(json.loads(prompt)['message']['content']); result(str(sys.argv[1:]))",
        prompt="Zeile eins\nline “two” \ud800",
        budget_usd=2.5,
    )
    said, _, arguments = done.answer.text.rpartition("\n")
    assert said == "Zeile eins\nline “two” ?"
    assert "'--max-budget-usd', '2.500000'" in arguments
    assert "'--allowedTools', 'Bash', '--permission-mode', 'acceptEdits'" in arguments
    assert "'--session-id'" in arguments
    assert "'--resume'" not in arguments
    assert done.answer.worked


def test_a_session_is_resumed_instead_of_named(desk: Desk) -> None:
    done = desk.stand_in("result(str(sys.argv[1:]))", session="s-9")
    assert "'--resume', 's-9'" in done.answer.text
    assert "'--session-id'" not in done.answer.text


def test_its_input_ends_with_its_result(desk: Desk) -> None:
    done = desk.stand_in("result(); assert sys.stdin.read() == ''")
    assert (done.answer.worked, done.answer.exit_code) == (True, 0)


def test_a_hang_at_the_start(desk: Desk) -> None:
    done = desk.stand_in(WAIT, idle_seconds=0.5)
    assert (done.trouble, done.answer.ended) == (K.IDLE, Ended.IDLE)


def test_work_without_end(desk: Desk) -> None:
    code = "while True: words('on and on'); time.sleep(0.05)"
    done = desk.stand_in(code, wall_seconds=0.5)
    assert (done.trouble, done.answer.ended) == (K.TIMEOUT, Ended.TIMEOUT)
    assert done.answer.text.startswith("on and on")


@pytest.mark.usefixtures("hasty")
def test_a_hang_after_the_result_is_a_success(desk: Desk) -> None:
    done = desk.stand_in(f"words('I did it.'); result(); {WAIT}")
    assert done.answer.worked
    assert done.answer.usage == used(0, cost=0.5)
    assert done.answer.seconds < 10


@pytest.mark.usefixtures("hasty")
def test_a_hang_after_an_error_is_that_error(desk: Desk) -> None:
    done = desk.stand_in(f"{DEAF}; result('Not logged in', is_error=True); {WAIT}")
    assert (done.trouble, done.answer.exit_code) == (K.AUTHENTICATION, 1)


@pytest.mark.usefixtures("hasty")
def test_work_after_a_result_is_waited_for(desk: Desk) -> None:
    later = "result('First.'); words('A task came back.'); time.sleep(0.6); result('Second.')"
    done = desk.stand_in(later)
    assert done.answer.worked
    assert done.answer.text == "A task came back.\nSecond."


@pytest.mark.usefixtures("hasty")
def test_a_nudge_that_is_not_taken_up_yet_is_waited_for(desk: Desk) -> None:
    def nudge(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.SAID and activity.text == "Working.":
            assert line.nudge("Faster.")

    code = """\
say({"type": "user", "isReplay": True, "message": {"content": "Do it."}})
words("Working."); heard = sys.stdin.readline(); result("First.")
time.sleep(0.6)
say({"type": "user", "isReplay": True, "message": {"content": "Faster."}})
words("Faster it is."); result("Second.")
assert sys.stdin.read() == ""
"""
    done = desk.stand_in(code, nudge)
    assert done.answer.worked
    assert done.answer.text.endswith("Faster it is.\nSecond.")
    assert [activity.text for activity in done.of(ActivityKind.NUDGED)] == ["Faster."]


@pytest.mark.usefixtures("hasty")
def test_an_interrupt_that_is_ignored(desk: Desk) -> None:
    def interrupt(line: Line, activity: Activity) -> None:
        if activity.kind is ActivityKind.SAID:
            when(lambda: True, line.interrupt)

    done = desk.stand_in(f"{DEAF}; words('Never.'); {WAIT}", interrupt)
    assert (done.answer.ended, done.answer.trouble) == (Ended.STOPPED, None)
    assert done.answer.seconds < 10


@pytest.mark.parametrize(
    ("code", "ended", "kind"),
    [
        ("sys.exit(143)", Ended.STOPPED, None),
        ("os.kill(os.getpid(), signal.SIGTERM)", Ended.STOPPED, None),
        ("os.kill(os.getpid(), signal.SIGKILL)", Ended.KILLED, K.KILLED),
        ("sys.exit(3)", Ended.EXITED, K.EXIT),
        ("print('<html>busy</html>')", Ended.EXITED, K.GARBAGE),
        ("words('Half an ans')", Ended.EXITED, K.GARBAGE),
        ("result('')", Ended.EXITED, K.EMPTY),
        ("result('Fine.'); sys.exit(1)", Ended.EXITED, None),
        ("result('Fine.'); os.kill(os.getpid(), signal.SIGSEGV)", Ended.EXITED, None),
        ("print('Cannot find module'); sys.exit(1)", Ended.EXITED, K.EXIT),
    ],
)
def test_ends(desk: Desk, code: str, ended: Ended, kind: K | None) -> None:
    done = desk.stand_in(code)
    assert (done.answer.ended, done.trouble) == (ended, kind)


def test_a_crash_is_told_in_its_own_words(desk: Desk) -> None:
    done = desk.stand_in("words('On it.'); sys.stderr.write('out of heap\\n'); sys.exit(134)")
    assert done.answer.error == "Claude Code exited 134: out of heap"
    assert done.answer.text == "On it."


def test_work_without_words_is_no_empty_answer(desk: Desk) -> None:
    use = '{"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": "a"}}'
    done = desk.stand_in(
        f"say({{'type': 'assistant', 'message': {{'content': [{use}]}}}}); result('')"
    )
    assert (done.answer.worked, done.answer.tools) == (True, {"Write": 1})


def test_one_line_of_100_megabytes(desk: Desk) -> None:
    line = 'b\'{"type": "user", "message": "\' + b"x" * (100 << 20) + b\'"}\\n\''
    code = f"sys.stdout.buffer.write({line}); words('Survived.'); result()"
    tracemalloc.start()
    try:
        done = desk.stand_in(code)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert done.answer.text == "Survived.\nDone."
    assert done.answer.output_bytes > 100 << 20
    assert peak < 32 << 20


def test_bytes_that_are_no_text(desk: Desk) -> None:
    raw = '{"type": "assistant", "message": {"content": [{"type": "text", "text": "a@b"}]}}'
    broken = b"\xff\xfe\n" + raw.encode().replace(b"@", b"\xff") + b"\n"
    done = desk.stand_in(f"sys.stdout.buffer.write({broken!r}); result()")
    assert done.answer.text == "a\ufffdb\nDone."
    assert done.answer.worked


def test_a_program_that_is_cut_off_has_spent(desk: Desk) -> None:
    code = """\
def event(**event): say({"type": "stream_event", "event": event})
usage = {"input_tokens": 1000, "output_tokens": 0, "cache_read_input_tokens": 500}
message = {"id": "m", "model": "claude-sonnet-5-5", "usage": usage}
event(type="message_start", message=message)
event(type="content_block_delta", delta={"type": "text_delta", "text": "x" * 4000})
time.sleep(60)
"""
    done = desk.stand_in(code, idle_seconds=0.5)
    assert done.trouble is K.IDLE
    cost = (1000 * 2 + 1000 * 10 + 500 * 0.1) / 1e6
    assert done.answer.usage == Usage(1000, 1000, 0, 500, pytest.approx(cost), estimated=True)  # type: ignore[arg-type]
    assert done.answer.calls == 1


def test_a_program_that_cannot_be_started(desk: Desk) -> None:
    answer, _ = desk.do(desk.job(workspace=str(desk.folder / "gone")))
    assert answer.trouble is not None
    assert (answer.trouble.kind, answer.ended) == (K.NOT_STARTED, Ended.NOT_STARTED)
    assert "there is no folder" in answer.error


def test_its_temporary_folder_is_its_own_and_goes(desk: Desk) -> None:
    done = desk.stand_in(
        "open(os.environ['TMPDIR'] + '/x', 'w').close(); result(os.environ['TMPDIR'])"
    )
    assert Path(done.answer.text).name.startswith("ralph-claude-")
    assert not Path(done.answer.text).exists()
