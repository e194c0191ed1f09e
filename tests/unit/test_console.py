from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.histories import PARTS, recorded

from ralph.domain import event as e
from ralph.domain.answer import Ended
from ralph.domain.claim import Claim, ClaimKind
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.question import Question, QuestionKind
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.ui import words
from ralph.ui.console import RunConsole
from ralph.ui.output import Output

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

from hypothesis import given

EVIL = "\x1b[2J\x1b]0;title\x07evil\u202e\x9b1m\udc80"

RUN = e.RunStarted("PRD.json", "Plan", "ralph/plan", "base", "agent", "/w", False, 7, "h", "1")
STARTED = e.IterationStarted(1, "A", "First", 1, "base", Trigger.INITIAL, "agent")
FINISHED = e.AgentFinished(1, "A", Ended.EXITED, 0, 5.0, 10, "t")
RED = CheckResult(
    ("make", "test"), passed=False, exit_code=2, seconds=1, tail="1\n2\n3\n4\n5\n6\n7"
)
VERIFIED = e.Verified(1, Verdict(False, Level.NONE, "red", results=(RED,)))
SETTLED = e.Settled(1, "A", "c" * 40, Level.GREEN)
ENDED = e.IterationEnded(1, "A", Outcome.FAILED, "red", 9)
QUESTION = Question("Q1", "A", QuestionKind.STUCK, "Which way?", options=("left", "right"))


def shown(*events: e.Event, asks: bool = False, total: int = 3) -> str:
    out = io.StringIO()
    watcher = RunConsole(total=total, done=("Z-1",), asks=asks, output=Output(out))
    for one in recorded(events):
        watcher(one)
    return out.getvalue()


def test_a_run_tells_its_plan_branch_and_progress() -> None:
    text = shown(RUN)
    assert "PRD.json" in text
    assert "ralph/plan" in text
    assert "1/3 complete (2 remaining)" in text
    assert "worktree /w" in shown(replace(RUN, worktree=True))


def test_a_run_tells_who_pays_if_that_is_known() -> None:
    paid = replace(RUN, agent="claude, codex", account="subscription (login in ~/.claude)")
    assert "claude · subscription (login in ~/.claude)" in shown(paid)
    assert "agent ·" not in shown(RUN)


def test_an_iteration_names_its_task_its_attempt_and_guidance() -> None:
    assert "Iteration 1: A First" in shown(STARTED)
    again = shown(replace(STARTED, attempt=2, guided=True))
    assert "(with guidance)" in again
    assert "attempt 2" in again


def test_a_failing_check_shows_the_end_of_its_output() -> None:
    text = shown(VERIFIED)
    assert "make test exited 2" in text
    assert "      7\n" in text
    assert "      1\n" not in text


def test_of_tap_it_shows_what_failed_and_no_counters() -> None:
    counters = "\n".join(f"# {name} 1" for name in ("tests", "suites", "pass", "fail", "todo"))
    tail = f"error: Cannot find package 'left-pad'\n{counters}\n# duration_ms 41.5"
    failed = replace(VERIFIED.verdict.results[0], tail=tail)
    text = shown(replace(VERIFIED, verdict=replace(VERIFIED.verdict, results=(failed,))))
    assert "Cannot find package" in text
    assert "# pass" not in text


def test_progress_counts_settled_tasks() -> None:
    text = shown(SETTLED)
    assert "A is done · green · cccccccccc" in text
    assert "2/3 complete (1 remaining)" in text


def test_a_false_claim_that_all_is_done_says_what_remains() -> None:
    text = shown(e.Claimed(1, (Claim(ClaimKind.ALL_DONE),)))
    assert "claims everything is done (1 other task left)" in text


def test_a_parked_question_is_shown_with_its_options() -> None:
    text = shown(e.Escalated(QUESTION))
    assert "parked Q1: Which way?" in text
    assert "1. left" in text
    assert "2. right" in text
    assert "ralph answer Q1" in text


def test_a_question_that_is_asked_at_the_terminal_is_not_shown_twice() -> None:
    assert shown(e.Escalated(QUESTION), asks=True) == ""


def test_the_end_gives_the_reason_and_the_tally() -> None:
    text = shown(e.RunEnded(StopReason.MAX_ITERATIONS, "50 iterations, the limit", 4))
    assert "50 iterations, the limit" in text
    assert "Final: 1/3 complete (2 remaining)" in text
    assert "ralph run" in text
    assert "All tasks are done" in shown(e.RunEnded(StopReason.GOAL_ACHIEVED, "", 0), total=1)


HOSTILE: list[e.Event] = [
    replace(RUN, goal=EVIL, plan=EVIL, account=EVIL),
    replace(STARTED, title=EVIL),
    replace(FINISHED, error=EVIL),
    e.Verified(1, Verdict(False, Level.NONE, "", results=(replace(RED, tail=EVIL, why=EVIL),))),
    e.Verified(1, Verdict(False, Level.NONE, EVIL)),
    replace(ENDED, why=EVIL),
    e.Claimed(1, (Claim(ClaimKind.TASK_DONE, EVIL),)),
    e.PutBack(1, EVIL, EVIL),
    e.Escalated(replace(QUESTION, summary=EVIL, options=(EVIL,))),
    e.Salvaged(EVIL, "c", EVIL),
    e.BaseChecked("c", passed=False, results=(replace(RED, command=(EVIL,)),), notes=(EVIL,)),
    e.Recovered(1, EVIL, EVIL),
    e.RunEnded(StopReason.ERROR, EVIL, 1),
]


@pytest.mark.parametrize("event", HOSTILE, ids=lambda event: type(event).__name__)
def test_nothing_an_agent_says_steers_the_terminal(event: e.Event) -> None:
    text = shown(event)
    assert "evil" in text
    assert all(char == "\n" or char.isprintable() for char in text)


def test_long_words_are_cut() -> None:
    text = shown(replace(STARTED, title="very long " * 5_000))
    assert len(text) < 2 * words.MOST


@pytest.mark.parametrize("kind", PARTS, ids=lambda kind: kind.__name__)
def test_every_event_can_be_shown(kind: type[e.Event]) -> None:
    strategy: SearchStrategy[e.Event] = PARTS[kind]

    @given(strategy)
    def check(event: e.Event) -> None:
        shown(event)

    check()


def test_no_colour_means_no_escape_at_all(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    RunConsole(total=1, done=(), asks=False)(recorded([RUN])[0])
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    RunConsole(total=1, done=(), asks=False)(recorded([RUN])[0])
    assert "\x1b" not in capsys.readouterr().out


def test_words_keep_what_people_write() -> None:
    assert words.line("Größe  und\nUmfang: 日本語 ✓") == "Größe und Umfang: 日本語 ✓"
    assert words.block("one\r\ntwo\rthree\tfour") == "one\ntwo\nthree\tfour"
    assert words.line("x" * 1_000).endswith("…")


def test_a_reopened_task_is_not_counted_twice(capsys: pytest.CaptureFixture[str]) -> None:
    watcher = RunConsole(total=2, done=("A", "B"), asks=False)
    again = (e.PlanMarked(("A",)), e.Settled(1, "A", "c", Level.GREEN))
    for one in recorded(again):
        watcher(one)
    assert "Progress: 2/2 complete (0 remaining)" in capsys.readouterr().out
