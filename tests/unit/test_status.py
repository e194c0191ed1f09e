from __future__ import annotations

import json

import pytest
from hypothesis import given
from msgspec import to_builtins
from msgspec.structs import replace
from tests.support.histories import histories, recorded

from ralph.domain import event as e
from ralph.domain.answer import Ended
from ralph.domain.claim import Claim, ClaimKind, FollowUp
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.moment import iso
from ralph.domain.plan import Plan
from ralph.domain.question import Question, QuestionKind
from ralph.domain.settings import Settings
from ralph.domain.state import LoopState, RunInfo, RunState
from ralph.domain.task import Status, Task
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level
from ralph.views.fold import fold
from ralph.views.records import collect
from ralph.views.status import loop_state, loop_status, record_view, report, task_rows

PLAN = Plan(
    "Plan",
    (
        Task("A", "First", status=Status.COMPLETED),
        Task("B", "Second"),
        Task("C", "Third", depends_on=("B",)),
        Task("D", "Fourth", status=Status.SKIPPED),
        Task("E", "Fifth", depends_on=("A",)),
    ),
)
RUN = e.RunStarted("PRD.json", "Plan", "ralph/plan", "base", "agent", "/w", False, 7, "h", "1")
STARTED = e.IterationStarted(1, "A", "First", 1, "base", Trigger.INITIAL, "agent")
FINISHED = e.AgentFinished(1, "A", Ended.EXITED, 0, 5.0, 10, "t", Usage(10, 5, cost_usd=0.25))
SETTLED = e.Settled(1, "A", "c1", Level.GREEN)
ENDED = e.IterationEnded(1, "A", Outcome.SUCCESS, "done", 9)
QUESTION = Question("Q1", "B", QuestionKind.STUCK, "Which way?", iteration=2)
FAILED = e.IterationEnded(2, "B", Outcome.FAILED, "red", 3)
HISTORY = recorded(
    [
        RUN,
        STARTED,
        FINISHED,
        SETTLED,
        ENDED,
        replace(STARTED, iteration=2, task="B"),
        FAILED,
        e.Escalated(QUESTION),
        e.RunEnded(StopReason.WAITING_FOR_PERSON, "a person must decide", 5),
    ]
)
STATE = fold(HISTORY)


def test_rows_say_where_each_task_stands_and_why() -> None:
    rows = {row["id"]: row for row in task_rows(STATE, PLAN)}
    assert [row["status"] for row in rows.values()] == [
        "done",
        "parked",
        "waiting",
        "skipped",
        "ready",
    ]
    assert (rows["A"]["commit"], rows["A"]["level"]) == ("c1", Level.GREEN)
    assert (rows["B"]["why"], rows["B"]["question"]) == ("Which way?", "Q1")
    assert "depends on B, which is parked" in rows["C"]["why"]


def test_only_leaves_are_rows() -> None:
    tree = Plan("Tree", (Task("F", "Feature"), Task("F1", "One", parent="F")))
    assert [row["id"] for row in task_rows(RunState(), tree)] == ["F1"]


def test_a_task_that_was_reopened_shows_no_commit() -> None:
    reopened = PLAN.with_statuses({"A": Status.OPEN})
    assert task_rows(STATE, reopened)[0]["commit"] == ""


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (RunInfo(), LoopState.INITIALIZING),
        (RunInfo(id="r"), LoopState.INITIALIZING),
        (RunInfo(id="r", iterations=1), LoopState.RUNNING),
        (RunInfo(id="r", iterations=1, paused=True), LoopState.PAUSED),
        (RunInfo(id="r", iterations=1, stop="ada"), LoopState.COMPLETING),
        (RunInfo(id="r", reason=StopReason.GOAL_ACHIEVED), LoopState.COMPLETED),
        (RunInfo(id="r", reason=StopReason.EXPLICIT_STOP), LoopState.TERMINATED),
        (RunInfo(id="r", reason=StopReason.WAITING_FOR_PERSON), LoopState.PAUSED),
        (RunInfo(id="r", reason=StopReason.MAX_ITERATIONS), LoopState.FAILED),
        (RunInfo(id="r", reason=StopReason.ERROR), LoopState.FAILED),
    ],
)
def test_the_state_of_the_loop(run: RunInfo, expected: LoopState) -> None:
    assert loop_state(RunState(run=run)) is expected


def test_the_report_lists_commits_finished_tasks_and_what_is_left() -> None:
    found = report(STATE, "p", PLAN, collect(HISTORY).values())
    assert found["commits"] == [{"iteration": 1, "task": "A", "commit": "c1", "level": "green"}]
    assert (found["tasks"]["done"], found["tasks"]["total"]) == (1, 5)
    assert [row["id"] for row in found["tasks"]["open"]] == ["B", "C", "D", "E"]
    assert found["questions"] == [{"id": "Q1", "task": "B", "summary": "Which way?"}]
    metrics = found["metrics"]
    assert (metrics["verified_share"], metrics["iterations_per_task"]) == (0.5, 2.0)
    assert (metrics["failures"], metrics["cost_usd"]) == (1, 0.25)


def test_the_report_lists_what_agents_suggest() -> None:
    found = Claim(ClaimKind.FOLLOW_UP, "A", follow_up=FollowUp("Cache the list", "It is slow."))
    more = recorded([e.Claimed(1, (found,))], after=len(HISTORY))
    state = fold([*HISTORY, *more])
    assert report(state, "p", PLAN, [])["follow_ups"] == [
        {"iteration": 1, "task": "A", "title": "Cache the list", "text": "It is slow."}
    ]
    assert report(STATE, "p", PLAN, [])["follow_ups"] == []


def test_the_report_of_a_reverted_branch_lists_what_is_on_it() -> None:
    more = recorded([e.Reverted(0, "base", "", ("A",), "ada")], after=len(HISTORY))
    found = report(fold([*HISTORY, *more]), "p", PLAN, collect(HISTORY).values())
    assert found["commits"] == []


def test_a_squashed_branch_has_one_commit() -> None:
    more = recorded([e.Squashed("all", "", ("A",), "ada")], after=len(HISTORY))
    found = report(fold([*HISTORY, *more]), "p", PLAN, collect(HISTORY).values())
    assert [commit["commit"] for commit in found["commits"]] == ["all"]


def test_a_cost_nobody_knows_is_not_zero() -> None:
    history = recorded([RUN, STARTED, replace(FINISHED, usage=Usage(1, 1)), ENDED])
    found = report(fold(history), "p", PLAN, collect(history).values())
    assert found["metrics"]["cost_usd"] is None
    assert record_view(collect(history)[1])["usage"]["costUsd"] is None


def test_a_report_without_a_plan_or_a_run_can_be_made() -> None:
    found = report(RunState(), "p", None, [])
    assert (found["tasks"]["total"], found["metrics"]["iterations_per_task"]) == (0, None)


def test_status_lists_the_newest_iterations() -> None:
    started = [replace(STARTED, iteration=n) for n in range(1, 131)]
    history = recorded([RUN, *started])
    found = loop_status(fold(history), "p", list(collect(history).values()), Settings())
    assert [one.iteration for one in found.iterations] == list(range(31, 131))


@given(histories)
def test_every_view_is_json(history: list[e.Recorded]) -> None:
    state, records = fold(history), collect(history)
    json.dumps(to_builtins(loop_status(state, "p", list(records.values()), Settings())))
    json.dumps(report(state, "p", PLAN, records.values()))
    json.dumps([record_view(record) for record in records.values()])


def test_times_are_utc() -> None:
    assert iso(0) == ""
    assert iso(86_400) == "1970-01-02T00:00:00Z"
