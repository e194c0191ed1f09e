from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.support.histories import histories, recorded

from ralph.domain import event as e
from ralph.domain.answer import Ended
from ralph.domain.claim import Claim, ClaimKind
from ralph.domain.decision import Outcome, Trigger
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.usage import Usage
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.views.records import KINDS, add, collect

if TYPE_CHECKING:
    from ralph.domain.iteration import IterationRecord

CHECK = CheckResult(("make", "test"), passed=True, exit_code=0, seconds=1)
STARTED = e.IterationStarted(3, "A", "Title", 2, "base", Trigger.TASK_INCOMPLETE, "agent")
FINISHED = e.AgentFinished(
    3, "A", Ended.EXITED, 0, 5.0, 10, "tail", Usage(10, 5, cost_usd=1.0), log="l1", prompt="p1"
)
ENDED = e.IterationEnded(3, "A", Outcome.SUCCESS, "done", 9, files=("a.py",), summary="I did it")
CLAIM = Claim(ClaimKind.TASK_DONE, "A", "said so")


def record_of(*events: e.Event) -> IterationRecord:
    return collect(recorded((STARTED, *events)))[3]


def test_an_iteration_is_put_together_from_its_events() -> None:
    record = record_of(
        FINISHED,
        e.Claimed(3, (CLAIM,)),
        e.PutBack(3, "PRD.json", "why"),
        e.Verified(3, Verdict(True, Level.GREEN, "w", "c", "t", results=(CHECK,))),
        e.Settled(3, "A", "c", Level.GREEN),
        ENDED,
    )
    assert (record.task, record.attempt, record.base, record.run) == ("A", 2, "base", "r1")
    assert (record.commit, record.level, record.tree, record.outcome) == (
        "c",
        Level.GREEN,
        "t",
        Outcome.SUCCESS,
    )
    assert (record.claims, record.verdict.results, record.put_back) == (
        (CLAIM,),
        (CHECK,),
        ("PRD.json",),
    )
    assert (record.files, record.summary) == (("a.py",), "I did it")
    assert (record.started_at, record.ended_at) == (1_001.0, 1_007.0)


def test_a_running_iteration_has_no_outcome() -> None:
    assert record_of().outcome == ""


def test_a_retry_inside_the_iteration_adds_up() -> None:
    record = record_of(FINISHED, replace(FINISHED, seconds=2.0, log="l2", usage=Usage(1, 1)))
    assert (record.agent_seconds, record.log) == (7.0, "l2")
    assert (record.usage.input_tokens, record.usage.cost_usd) == (11, 1.0)


def test_its_question_and_its_salvage_belong_to_it() -> None:
    question = Question("Q4", "A", QuestionKind.STUCK, "What now?", iteration=3)
    record = record_of(
        e.Salvaged("refs/ralph/salvage/x", "c", "why", task="A", iteration=3),
        e.Escalated(question),
        replace(ENDED, outcome=Outcome.BLOCKED),
    )
    assert (record.question, record.salvage) == ("Q4", "refs/ralph/salvage/x")


def test_events_of_unknown_iterations_are_left_out() -> None:
    assert collect(recorded([FINISHED, ENDED, e.PauseRequested("ada")])) == {}


@given(histories)
def test_records_need_only_the_kinds_they_name(history: list[e.Recorded]) -> None:
    relevant = [r for r in history if type(r.event).__name__ in KINDS]
    assert collect(relevant) == collect(history)


@given(histories)
def test_records_grow_event_by_event(history: list[e.Recorded]) -> None:
    records: dict[int, IterationRecord] = {}
    for one in history:
        add(records, one)
    assert records == collect(history)


@pytest.mark.parametrize("kind", KINDS)
def test_the_kinds_are_events(kind: str) -> None:
    assert kind in e.EVENTS


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(Choice.OPTION, option=2), "option 2"),
        (Reply(Choice.GUIDANCE, text="Use v2"), "Use v2"),
        (Reply(Choice.SKIP), "skip"),
    ],
)
def test_the_answer_to_its_question_belongs_to_the_iteration(reply: Reply, said: str) -> None:
    question = Question("Q7", "A", QuestionKind.DEVIATION, "Which one?", iteration=3)
    record = record_of(ENDED, e.Escalated(question), e.Answered("Q7", reply, "ada"))
    assert (record.question, record.answer, record.answered_by) == ("Q7", said, "ada")
