"""Who or what changed which task, from the events alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.support.histories import histories, recorded

from ralph.domain import event as e
from ralph.domain.decision import Outcome, Trigger
from ralph.domain.evidence import Evidence, Fact, FactKind, Weighed, Weight
from ralph.domain.iteration import ACCEPTED
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.views import proven
from ralph.views.trail import RALPH, trail

if TYPE_CHECKING:
    from ralph.views.trail import Change

RUN = e.RunStarted("PRD.json", "Plan", "ralph/plan", "base", "claude", "/w", False, 7, "h", "1")
STARTED = e.IterationStarted(1, "A", "First", 1, "base", Trigger.INITIAL, "claude")
VERIFIED = e.Verified(
    1,
    Verdict(
        passed=True,
        level=Level.PROVEN,
        why="",
        commit="c1",
        tree="t1",
        results=(CheckResult(("make", "test"), True, 0, 1.0, output_sha256="abc"),),
        facts=(Weighed(Fact(FactKind.FLAKY, "It comes and goes."), Weight.NOTE),),
        shown=("tests/test_a.py::test_a",),
        evidence=(Evidence("it works", "the task's checks", passed=True),),
    ),
)
SETTLED = e.Settled(1, "A", "c1", Level.PROVEN)
QUESTION = Question("Q1", "A", QuestionKind.ACCEPT, "Does it count?", options=("Yes", "No"))


def told(*events: e.Event) -> list[Change]:
    return list(trail(recorded((RUN, STARTED, *events))))


def test_a_settled_task_comes_with_all_its_evidence() -> None:
    (change,) = told(VERIFIED, SETTLED)
    assert (change.task, change.what, change.by) == ("A", "settled as proven", "claude")
    assert (change.commit, change.iteration, change.branch) == ("c1", 1, "ralph/plan")
    assert (change.seq, change.at, change.run) == (4, 1_004.0, "r1")
    assert change.record is not None
    evidence = proven.proof(change.record)
    assert evidence["tests_that_show_it"] == ["tests/test_a.py::test_a"]
    assert evidence["checks"][0]["outputSha256"] == "abc"
    assert evidence["criteria"][0]["how"] == "the task's checks"
    assert evidence["facts"][0]["kind"] == "flaky"
    assert (evidence["base"], evidence["tree"]) == ("base", "t1")


def test_an_unproven_one_says_so() -> None:
    (change,) = told(VERIFIED, replace(SETTLED, level=Level.OVERLAY, untested=True))
    assert change.what == "settled as overlay, unproven"


def test_work_that_a_person_accepted_is_that_person_s() -> None:
    accepted = replace(STARTED, iteration=2, agent=ACCEPTED)
    landed = e.Settled(2, "A", "c2", Level.ACCEPTED, accepted_by="ada")
    *_, change = told(accepted, landed)
    assert (change.by, change.what) == ("ada", "settled as accepted")


def test_accepted_work_that_did_not_fit_is_nobody_s_failure() -> None:
    accepted = replace(STARTED, iteration=2, agent=ACCEPTED)
    *_, change = told(accepted, e.IterationEnded(2, "A", Outcome.FAILED, "it does not fit", 1))
    assert (change.by, change.why) == (RALPH, "it does not fit")


@pytest.mark.parametrize(
    ("event", "task", "by", "why"),
    [
        (e.IterationEnded(1, "A", Outcome.FAILED, "red", 1), "A", "claude", "red"),
        (e.PutBack(1, "PRD.json", "not its to change"), "A", RALPH, "PRD.json: not its to change"),
        (e.TaskSkipped("B", "later", "ada"), "B", "ada", "later"),
        (e.TaskRetried("B", "use blue", "ada"), "B", "ada", "use blue"),
        (e.RolledBack("A", "c0", "three failures"), "A", RALPH, "three failures"),
        (e.Recovered(1, "A", "its commit was found"), "A", RALPH, "its commit was found"),
        (e.PlanEditApplied("refs/ralph/salvage/x"), "", RALPH, "refs/ralph/salvage/x"),
        (e.PlanMarked(("B",), "c9"), "B", RALPH, ""),
        (e.Reverted(1, "c1", "", ("B",), "ada"), "B", "ada", "back to iteration 1"),
        (e.Squashed("c9", "", ("B",), "ada"), "B", "ada", ""),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "__struct_fields__") else None,
)
def test_what_else_becomes_of_a_task(event: e.Event, task: str, by: str, why: str) -> None:
    (change,) = told(event)
    assert (change.task, change.by, change.why, change.record) == (task, by, why, None)


def test_a_question_and_its_answer_name_who_asked_and_who_decided() -> None:
    reply = Reply(Choice.OPTION, option=2)
    asked, answered = told(e.Escalated(QUESTION), e.Answered("Q1", reply, "ada"))
    assert (asked.by, asked.why) == (RALPH, "Does it count?")
    assert (answered.task, answered.by, answered.why) == ("A", "ada", "No")


def test_a_question_of_the_agent_is_the_agent_s() -> None:
    question = replace(QUESTION, kind=QuestionKind.STUCK, iteration=1)
    (asked,) = told(e.Escalated(question))
    assert asked.by == "claude"


def test_every_task_of_a_revert_is_told() -> None:
    assert [c.task for c in told(e.Reverted(0, "c0", "", ("A", "B"), "ada"))] == ["A", "B"]


def test_what_changes_no_task_is_left_out() -> None:
    success = e.IterationEnded(1, "A", Outcome.SUCCESS, "done", 1)
    blocked = e.IterationEnded(1, "A", Outcome.BLOCKED, "asks", 1)  # its question says so
    assert told(VERIFIED, success, blocked, e.Waited(1.0, "a limit")) == []


@given(histories)
def test_any_history_can_be_told(history: list[e.Recorded]) -> None:
    changes = list(trail(history))
    assert [change.seq for change in changes] == sorted(change.seq for change in changes)
    assert all(change.by for change in changes if change.what.startswith("settled"))
