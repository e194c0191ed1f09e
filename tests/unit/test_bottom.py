from __future__ import annotations

import io
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.support.histories import recorded

from ralph.domain import event as e
from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.answer import Ended
from ralph.domain.decision import StopReason, Trigger
from ralph.domain.errors import PlanError
from ralph.domain.plan import Plan
from ralph.domain.question import Question, QuestionKind
from ralph.domain.settings import Settings
from ralph.domain.task import Task
from ralph.domain.usage import Usage
from ralph.loop import planning
from ralph.ui.bottom import Bottom
from ralph.ui.console import RunConsole
from ralph.ui.output import Output
from ralph.ui.printed import Printed, last_line
from ralph.views.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from ralph.domain.state import RunState

RUN = e.RunStarted("PRD.json", "Plan", "ralph/plan", "base", "agent", "/w", False, 7, "h", "1")
STARTED = e.IterationStarted(1, "A", "First", 1, "base", Trigger.INITIAL, "agent")
FINISHED = e.AgentFinished(1, "A", Ended.EXITED, 0, 5.0, 10, "t")
ASKED = e.Escalated(Question("Q1", "B", QuestionKind.STUCK, "Which way?"))


class Screen(Output):
    """A terminal of 100 columns that can write a line anew."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.moves = True
        self.line = ""

    def live(self, told: Callable[[int], str]) -> None:
        self.line = told(100)


def screen(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *events: e.Event
) -> tuple[Bottom, Screen, RunState]:
    out, state = Screen(), fold(recorded(events))
    plan = Plan("PRD.json", tuple(Task(name, name) for name in "ABC"))
    monkeypatch.setattr(planning, "read_plan", lambda _: plan)
    run: Any = SimpleNamespace(
        state=state,
        settings=Settings(),
        asked=SimpleNamespace(only="", once=False),
        clock=lambda: state.run.phase_at + 134,
        logs=lambda: folder,
    )
    return Bottom(run, RunConsole(total=3, done=(), asks=False, output=out)), out, state


def test_it_says_what_the_agent_does_and_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bottom, out, state = screen(monkeypatch, tmp_path, RUN, STARTED, ASKED)
    bottom.acted(Activity(ActivityKind.TOOL, "npm test", "Bash"))
    bottom.acted(Activity(ActivityKind.RESULT, "ok", "Bash"))
    bottom.beat()
    assert out.line == (
        "  A · agent at work · 2:14 · ░░░░░ 0/3 · next C · 1 question · Bash: npm test"
    )
    fold(recorded([FINISHED]), state)
    bottom.beat()
    assert out.line == "  A · checking · 2:14 · ░░░░░ 0/3 · next C · 1 question"


def test_a_wait_counts_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bottom, out, state = screen(monkeypatch, tmp_path, RUN)
    state.run.waits, state.run.usage = "the usage limit", Usage(cost_usd=1.2)
    bottom.tick(43)
    assert out.line == "  ‖ 43 s left · ░░░░░ 0/3 · $1.20 of $10 · next A · the usage limit"
    bottom.beat()
    assert "left" in out.line, "a beat leaves the countdown alone"
    bottom.paused(61)
    assert out.line.startswith("  ‖ paused for 1 min 01 s · ")


def test_a_plan_in_the_middle_of_an_edit_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(_: object) -> Plan:
        raise PlanError("half a plan")

    bottom, out, _ = screen(monkeypatch, tmp_path, RUN, STARTED)
    monkeypatch.setattr(planning, "read_plan", broken)
    bottom.beat()
    assert out.line == "  A · agent at work · 2:14 · ░░░░░ 0/3"


def test_the_end_says_what_it_took_and_which_questions_wait() -> None:
    out = io.StringIO()
    state = fold(recorded([RUN, STARTED, ASKED, e.RunEnded(StopReason.ONCE, "one", 0)]))
    state.run.usage = Usage(cost_usd=1.2)
    state.run.ended_at = state.run.started_at + 723
    console = RunConsole(total=3, done=(), asks=False, output=Output(out), state=lambda: state)
    console(recorded([e.RunEnded(StopReason.ONCE, "one", 0)])[0])
    assert "12 min 03 s · 1 iteration · $1.20" in out.getvalue()
    assert "1 question waits in `ralph inbox`: Q1" in out.getvalue()


def test_of_a_plain_agent_the_last_line_is_known(tmp_path: Path) -> None:
    assert last_line(tmp_path, 1) == ""
    log = tmp_path / "iteration-1.txt"
    log.write_text("one\n" * 3000 + "Reading \x1b[1mthe\x1b[0m plan\n\n", encoding="utf-8")
    assert last_line(tmp_path, 1) == "Reading the plan"
    (tmp_path / "iteration-1-r2.txt").write_text("once more", encoding="utf-8")
    assert last_line(tmp_path, 1) == "once more"
    log.with_name("iteration-2.txt").write_text('{"type": "system"}\n', encoding="utf-8")
    assert last_line(tmp_path, 2) == "", "its events tell more"


def test_what_is_printed_is_told_once_in_whole_lines(tmp_path: Path) -> None:
    log, printed = tmp_path / "iteration-1.txt", Printed(tmp_path)
    log.write_text("one\ntwo\nthr", encoding="utf-8")
    assert list(printed.new(1)) == ["one", "two"]
    log.write_text("one\ntwo\nthree\n", encoding="utf-8")
    assert list(printed.new(1)) == ["three"]
    assert list(printed.new(1)) == []
    log.unlink()
    assert list(printed.new(1)) == []
