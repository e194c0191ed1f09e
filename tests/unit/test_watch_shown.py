from __future__ import annotations

from importlib import util
from typing import Any

import pytest
from tests.support.histories import recorded

from ralph.domain import event as e
from ralph.domain.decision import Outcome, Trigger
from ralph.domain.errors import RalphError
from ralph.domain.evidence import Evidence
from ralph.domain.question import Question, QuestionKind
from ralph.domain.task import Task
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.ui.cli import watch as command
from ralph.ui.watch.shown import (
    MOST_LINES,
    PANES,
    details,
    difference,
    question_line,
    task_line,
    title,
    visible,
)
from ralph.views.records import collect

EVIL = "\x1b[2J\x1b]0;title\x07evil\u202e\x9b1m"
CHECK = CheckResult(("make", "test"), passed=True, exit_code=0, seconds=1, tail="")
VERDICT = Verdict(
    True,
    Level.PROVEN,
    "",
    results=(CHECK,),
    evidence=(Evidence("It greets", "test_greet.py::test_greets", passed=True),),
    shown=("test_greet.py::test_greets",),
)
ATTEMPT = (
    e.IterationStarted(1, "A", "First", 1, "base", Trigger.INITIAL, "agent"),
    e.Verified(1, VERDICT),
    e.Settled(1, "A", "c" * 40, Level.PROVEN),
    e.IterationEnded(1, "A", Outcome.SUCCESS, "A is done", 9),
)
QUESTION = Question("Q1", "A", QuestionKind.STUCK, "Which way?", options=("left", "right"))


def row(**more: Any) -> dict[str, Any]:
    usual = {"id": "A", "title": "First", "status": "ready", "why": "", "attempts": 0}
    proof = {"commit": "", "level": "none", "unproven": False, "accepted_by": "", "question": ""}
    return usual | proof | more


@pytest.mark.parametrize(
    ("columns", "chosen", "expected"),
    [
        *((40, pane, (pane,)) for pane in PANES),
        (80, "tasks", ("tasks", "events")),
        (80, "questions", ("tasks", "questions")),
        (200, "tasks", ("tasks", "events", "task")),
        (200, "questions", ("tasks", "events", "questions")),
    ],
)
def test_which_panes_there_is_room_for(
    columns: int, chosen: str, expected: tuple[str, ...]
) -> None:
    assert visible(columns, chosen) == expected


def test_a_task_in_a_line() -> None:
    done = row(status="done", commit="c" * 40, level="green", unproven=True)
    assert task_line(row(), "").text == "· A  First"
    assert task_line(row(), "A").text == "▶ A  First"
    assert task_line(done, "").text == "✓ A  First  (green, unproven)"
    assert task_line(row(status="parked"), "").text == "? A  First"


def test_the_questions_are_counted() -> None:
    assert [title("questions", number) for number in (0, 2)] == ["Questions", "Questions 2"]
    assert question_line(QUESTION).text == "Q1 A: Which way?"


def test_a_finished_task_shows_its_evidence() -> None:
    records = list(collect(recorded(ATTEMPT)).values())
    finished = row(status="done", commit="c" * 40, level="proven")
    text = [line.text for line in details(finished, Task("A", "First"), records)]
    assert text[:2] == ["A  First", "done"]
    assert "Evidence · proven" in text
    assert "  ✓ It greets  ← test_greet.py::test_greets" in text
    assert "  fails without the change: test_greet.py::test_greets" in text
    assert "  ✓   1  A  A is done" in text


def test_an_open_task_shows_what_is_asked_for_and_of_whom() -> None:
    task = Task("A", "First", description="Greet.", criteria=("It greets",))
    parked = row(status="parked", why="Which way?")
    text = [line.text for line in details(parked, task, (), [QUESTION])]
    assert text[:3] == ["A  First", "parked: Which way?", "Greet."]
    assert "  ? It greets" in text
    assert "  2. right" in text


def test_a_difference_is_coloured_and_bounded() -> None:
    lines = list(difference("@@ -1 +1 @@\n-old\n+new\n", ["fresh.txt"]))
    assert [(line.text, line.style) for line in lines[2:]] == [
        ("new: fresh.txt", "green"),
        ("@@ -1 +1 @@", "cyan"),
        ("-old", "red"),
        ("+new", "green"),
    ]
    long = list(difference("+x\n" * (MOST_LINES + 7)))
    assert long[-1].text == "(7 more lines)"
    assert list(difference("")) == []


def test_nothing_an_agent_says_steers_the_screen() -> None:
    question = Question("Q1", "A", QuestionKind.STUCK, EVIL, EVIL, (EVIL,), EVIL)
    lines = [
        task_line(row(title=EVIL), ""),
        question_line(question),
        *details(row(title=EVIL, why=EVIL), Task("A", "F", description=EVIL), (), [question]),
        *difference(f"+{EVIL}", [EVIL]),
    ]
    assert sum("evil" in line.text for line in lines) == 11
    assert all(line.text.isprintable() for line in lines)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda _: None)
    with pytest.raises(RalphError, match=r"pip install '\.\[tui\]'"):
        command._require_extra()
