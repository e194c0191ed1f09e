from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.histories import PARTS, histories, recorded

from ralph.domain import event as e
from ralph.domain.attended import HostRefused
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.event import EVENTS
from ralph.domain.notify import DeliveryFailed
from ralph.domain.question import Choice, Question, QuestionKind, Reply
from ralph.domain.usage import Usage
from ralph.domain.verdict import Level
from ralph.ledger.codec import decode_state, encode_state
from ralph.policy.select import parked
from ralph.views import fold as folding
from ralph.views import wishes
from ralph.views.fold import fold

if TYPE_CHECKING:
    from ralph.domain.state import RunState

KEPT = "refs/ralph/salvage/kept"

run_started = e.RunStarted(
    plan="PRD.json",
    goal="Goal",
    branch="ralph/one",
    base="base",
    agent="agent",
    workspace="/w",
    worktree=False,
    pid=1,
    host="h",
    version="1",
)
started = e.IterationStarted(
    iteration=1, task="A", title="A", attempt=1, base="base", trigger=Trigger.INITIAL, agent="agent"
)
failed = e.IterationEnded(
    iteration=1, task="A", outcome=Outcome.FAILED, why="red", seconds=2, signature="s", tree="t"
)
settled = e.Settled(iteration=1, task="A", commit="c1", level=Level.GREEN)
succeeded = replace(failed, outcome=Outcome.SUCCESS, why="done", signature="")
salvaged = e.Salvaged(KEPT, "c", "why", task="A", iteration=1)


def asked(kind: QuestionKind = QuestionKind.STUCK, **more: object) -> e.Escalated:
    question = Question("Q1", "A", kind, "What now?", options=("this", "that"), iteration=1)
    return e.Escalated(replace(question, **more))


def answered(choice: Choice, option: int = 0, text: str = "") -> e.Answered:
    return e.Answered("Q1", Reply(choice, option, text), by="ada")


def after(*events: e.Event) -> RunState:
    return fold(recorded(events))


def counters(state: RunState) -> list[float]:
    run, metrics = state.run, state.metrics
    found = [getattr(metrics, name) for name in metrics.__struct_fields__ if name != "usage"]
    found += [run.iterations, run.completed, run.failures, run.agent_failures, run.waited]
    found += [run.since_completed, run.working, state.question_count, state.iteration]
    for task in state.tasks.values():
        found += [task.attempts, task.failures, task.interrupted]
    return found


# What must hold for every history


@given(histories, st.integers(0, 25))
def test_the_fold_goes_on_from_any_point(history: list[e.Recorded], cut: int) -> None:
    assert fold(history[cut:], fold(history[:cut])) == fold(history)


@given(histories)
def test_the_same_history_is_the_same_state(history: list[e.Recorded]) -> None:
    assert fold(deepcopy(history)) == fold(history)


@given(histories, st.integers(0, 25))
def test_going_on_from_a_stored_fold_changes_nothing(history: list[e.Recorded], cut: int) -> None:
    stored = decode_state(encode_state(fold(history[:cut])))
    assert stored is not None
    assert fold(history[cut:], stored) == fold(history)


@given(histories)
def test_no_counter_is_ever_negative(history: list[e.Recorded]) -> None:
    assert min(counters(fold(history))) >= 0


@given(histories, PARTS[e.Settled])
def test_a_settled_task_is_not_parked(history: list[e.Recorded], event: e.Settled) -> None:
    state = fold(history)
    fold(recorded([event], after=len(history)), state)
    assert event.task not in parked(state)
    assert not state.tasks[event.task].question


@given(st.lists(PARTS[e.IterationEnded] | PARTS[e.AgentFinished] | PARTS[e.Noted], max_size=60))
def test_lists_stay_bounded(events: list[e.Event]) -> None:
    state = after(*events)
    assert len(state.outputs) <= folding.KEPT_OUTPUTS
    assert len(state.errors) <= folding.KEPT_ERRORS
    assert len(state.successes) <= folding.KEPT_SUCCESSES
    assert len(state.patterns) <= folding.KEPT_PATTERNS
    for task in state.tasks.values():
        assert len(task.signatures) <= folding.KEPT_SIGNATURES
        assert len(task.trees) <= folding.KEPT_SIGNATURES


@given(histories)
def test_state_stands_where_the_history_ends(history: list[e.Recorded]) -> None:
    state = fold(history)
    assert (state.seq, state.head) == ((history[-1].seq, history[-1].hash) if history else (0, ""))


VIEW_ONLY = {
    e.AgentActed,
    e.AgentSwitched,
    e.AskedAgain,
    e.BaseChecked,
    e.CommandRefused,
    HostRefused,
    DeliveryFailed,
    e.PutBack,
    e.Verified,
    e.LedgerRewritten,
}
"""Shown to people; no decision rests on them."""


def test_every_event_has_a_meaning_or_is_for_people_only() -> None:
    known = set(folding._MEANING)
    assert known | VIEW_ONLY == set(EVENTS.values())
    assert not known & VIEW_ONLY
    assert set(PARTS) == set(EVENTS.values())


# Settling and failing


def test_a_success_forgets_the_failures_and_keeps_the_attempts() -> None:
    state = after(run_started, started, failed, started, settled, succeeded)
    task = state.tasks["A"]
    assert (task.failures, task.feedback, task.signatures) == (0, "", [])
    assert (task.attempts, task.commit, task.level) == (2, "c1", Level.GREEN)
    assert (state.run.failures, state.run.completed, state.holding) == (0, 1, "")
    assert (state.metrics.recoveries, state.metrics.recovery_seconds) == (1, 2.0)


def test_failures_in_a_row_are_counted_per_task_and_per_run() -> None:
    state = after(
        run_started, started, failed, replace(started, task="B"), replace(failed, task="B")
    )
    assert (state.run.failures, state.tasks["A"].failures, state.tasks["B"].failures) == (2, 1, 1)


def test_only_the_agents_own_failures_count_for_the_back_off() -> None:
    broke = replace(failed, agent_failed=True)
    assert after(run_started, broke, broke).run.agent_failures == 2
    assert after(run_started, broke, failed).run.agent_failures == 0
    assert after(run_started, broke).metrics.errors == 1


def test_an_interruption_is_no_failure_and_keeps_the_salvage() -> None:
    stopped = replace(failed, outcome=Outcome.INTERRUPTED)
    state = after(run_started, started, salvaged, stopped)
    assert (state.tasks["A"].failures, state.run.failures) == (0, 0)
    assert (state.tasks["A"].interrupted, state.tasks["A"].salvage) == (1, KEPT)


def test_salvage_that_was_not_yet_applied_survives_a_kill() -> None:
    stopped = replace(failed, outcome=Outcome.INTERRUPTED)
    state = after(run_started, salvaged, started)
    assert state.tasks["A"].salvage == KEPT
    assert after(run_started, salvaged, started, stopped).tasks["A"].salvage == KEPT
    assert after(run_started, salvaged, started, failed).tasks["A"].salvage == ""


def test_an_unknown_cost_stays_unknown_and_a_known_one_is_summed() -> None:
    finished = next(iter(_finished(None)))
    assert after(run_started, finished).run.usage.cost_usd is None
    state = after(run_started, *_finished(None, 1.5, 0.5))
    assert state.run.usage.cost_usd == pytest.approx(2.0)
    assert state.metrics.usage.input_tokens == 30


def _finished(*costs: float | None) -> list[e.AgentFinished]:
    from ralph.domain.answer import Ended

    return [
        e.AgentFinished(1, "A", Ended.EXITED, 0, 1.0, 5, "tail", Usage(10, 1, cost_usd=cost))
        for cost in costs
    ]


# Which work is in the workspace


def test_a_failed_attempt_that_left_work_is_held() -> None:
    assert after(run_started, started, failed).holding == "A"


def test_a_failed_attempt_that_left_nothing_is_not_held() -> None:
    assert after(run_started, started, replace(failed, held=False)).holding == ""


def test_work_that_was_salvaged_or_rolled_back_is_not_held() -> None:
    assert after(run_started, started, failed, salvaged).holding == ""
    rolled = e.RolledBack("A", "base", "why", KEPT)
    state = after(run_started, started, failed, rolled)
    assert (state.holding, state.tasks["A"].abandoned, state.tasks["A"].salvage) == ("", KEPT, "")


def test_earlier_work_that_no_longer_fits_leaves_the_workspace_to_the_running_attempt() -> None:
    rolled = e.RolledBack("A", "base", "conflict", KEPT)
    assert after(run_started, started, rolled).holding == "A"


def test_a_new_run_finds_a_workspace_without_work() -> None:
    assert after(run_started, started, failed, run_started).holding == ""


# Runs


def test_a_new_run_starts_its_own_counts() -> None:
    state = after(run_started, started, failed, e.StopRequested("ada"), run_started)
    assert (state.run.iterations, state.run.failures, state.run.stop) == (0, 0, "")
    assert (state.last_outcome, state.tasks["A"].failures) == ("", 1)


def test_a_new_run_remembers_that_the_last_iteration_was_interrupted() -> None:
    stopped = replace(failed, outcome=Outcome.INTERRUPTED)
    assert after(run_started, started, stopped, run_started).last_outcome == Outcome.INTERRUPTED


def test_the_same_ids_on_another_branch_are_other_tasks() -> None:
    other = replace(run_started, branch="ralph/two", base="base-two")
    first = (run_started, started, asked(), started, settled, asked(iteration=2))
    state = after(*first, other)
    assert (state.tasks, state.questions, state.commits) == ({}, {}, {})
    assert (state.origin, state.last_task, state.outputs) == ("base-two", "", [])
    back = after(*first, other, replace(run_started, base="later"))
    assert (back.commits, back.origin, set(back.questions)) == ({1: "c1"}, "base", {"Q1"})
    assert back.tasks["A"].commit == "c1"


def test_what_people_wanted_before_the_first_run_counts_in_it() -> None:
    state = after(e.TaskSkipped("A", "not now", "ada"), run_started)
    assert state.tasks["A"].skipped == "not now"


def test_pause_resume_stop() -> None:
    assert after(run_started, e.PauseRequested("ada")).run.paused
    assert not after(run_started, e.PauseRequested("ada"), e.ResumeRequested("ada")).run.paused
    again = after(run_started, e.PauseRequested("ada"), started, e.PauseRequested("ada"))
    assert again.run.paused_at == 1_002.0
    stopped = after(run_started, e.StopRequested("ada", now=True), e.StopRequested("bob"))
    assert (stopped.run.stop, stopped.run.stop_now) == ("bob", True)
    ended = after(run_started, e.PauseRequested("ada"), e.RunEnded(StopReason.ERROR, "why", 1))
    assert not ended.run.paused


def test_waiting_is_counted_once_per_failure() -> None:
    broke = replace(failed, agent_failed=True)
    state = after(run_started, started, broke, e.Waited(3, "why"))
    assert (state.run.waited, state.run.backed_off) == (3, True)
    assert not after(run_started, started, broke, e.Waited(3, "why"), started, broke).run.backed_off


# Questions


def test_a_question_parks_its_task_until_it_is_answered() -> None:
    assert parked(after(run_started, asked())) == {"A"}
    assert parked(after(run_started, asked(), answered(Choice.RETRY))) == frozenset()


def test_a_question_about_a_plan_edit_parks_nothing() -> None:
    state = after(run_started, asked(QuestionKind.PLAN_EDIT, salvage=KEPT))
    assert parked(state) == frozenset()
    assert fold(recorded([answered(Choice.OPTION, 1)], after=2), state).plan_edit == KEPT


def test_an_answer_makes_earlier_failures_count_no_more() -> None:
    state = after(run_started, started, failed, asked(), answered(Choice.RETRY))
    task = state.tasks["A"]
    assert (task.failures, task.signatures, task.trees, state.run.failures) == (0, [], [], 0)


@pytest.mark.parametrize(
    ("reply", "guidance"),
    [
        (answered(Choice.OPTION, 2), ["Proceed with option 2: that"]),
        (answered(Choice.OPTION, 7), ["Proceed with option 7"]),
        (answered(Choice.GUIDANCE, text="Use a set."), ["Use a set."]),
        (answered(Choice.RETRY), []),
    ],
)
def test_an_answer_becomes_guidance(reply: e.Answered, guidance: list[str]) -> None:
    assert after(run_started, asked(), reply).tasks["A"].guidance == guidance


def test_skip_and_abort() -> None:
    assert "ada" in after(run_started, asked(), answered(Choice.SKIP)).tasks["A"].skipped
    assert after(run_started, asked(), answered(Choice.ABORT)).run.stop == "ada"


def test_a_second_answer_to_the_same_question_is_ignored() -> None:
    first = (run_started, asked(), answered(Choice.GUIDANCE, text="x"))
    assert after(*first, answered(Choice.SKIP)).tasks["A"].skipped == ""


def test_accepted_work_is_landed_once_and_given_up_when_it_does_not_fit() -> None:
    accept = (asked(QuestionKind.ACCEPT, salvage=KEPT), answered(Choice.OPTION, 1))
    assert after(run_started, *accept).tasks["A"].accepted == KEPT
    task = after(run_started, *accept, started, failed).tasks["A"]
    assert (task.accepted, task.abandoned) == ("", KEPT)
    stopped = replace(failed, outcome=Outcome.INTERRUPTED)
    assert after(run_started, *accept, started, stopped).tasks["A"].accepted == KEPT
    retried = e.TaskRetried("A", "", "ada")
    assert after(run_started, *accept, retried).tasks["A"].accepted == ""


def test_work_that_is_there_already_is_accepted_without_a_ref() -> None:
    accept = (asked(QuestionKind.ACCEPT), answered(Choice.OPTION, 1))
    assert after(run_started, *accept).tasks["A"].accepted == "HEAD"
    assert after(run_started, *accept, started, failed).tasks["A"].abandoned == ""


def test_going_on_from_rolled_back_work_brings_it_back() -> None:
    rolled = e.RolledBack("A", "base", "why", KEPT)
    gone = (run_started, started, failed, rolled, asked(QuestionKind.FAILED))
    again = after(*gone, answered(Choice.OPTION, wishes.GO_ON_FROM_SALVAGE))
    assert again.tasks["A"].salvage == KEPT
    afresh = after(*gone, answered(Choice.OPTION, 1))
    assert (afresh.tasks["A"].salvage, afresh.tasks["A"].guidance) == ("", [])


def test_work_that_is_begun_anew_is_kept_and_not_given_on() -> None:
    asked_for = (run_started, started, asked(QuestionKind.ACCEPT, salvage=KEPT))
    anew = after(*asked_for, answered(Choice.OPTION, wishes.START_OVER)).tasks["A"]
    assert (anew.salvage, anew.feedback, anew.guidance) == ("", "", [])
    back = after(*asked_for, answered(Choice.OPTION, 2)).tasks["A"]
    assert "ada sent the work back" in back.feedback
    retried = after(run_started, started, failed, e.TaskRetried("A", "", "ada", fresh=True))
    assert (retried.tasks["A"].fresh, retried.tasks["A"].salvage) == (True, "")
    assert not after(run_started, started, failed, e.TaskRetried("A", "", "ada")).tasks["A"].fresh


def test_guidance_is_bounded() -> None:
    retries = [e.TaskRetried("A", f"hint {n}", "ada") for n in range(30)]
    guidance = after(run_started, *retries).tasks["A"].guidance
    assert len(guidance) == wishes.KEPT_GUIDANCE
    assert guidance[-1] == "hint 29"


# What people change


def test_skip_and_retry_wait_for_the_plan() -> None:
    skipped = (run_started, e.TaskSkipped("A", "later", "ada"))
    assert after(*skipped).tasks["A"].skipped == "later"
    marked = after(*skipped, e.PlanMarked(("A",)))
    assert (marked.tasks["A"].skipped, marked.tasks["A"].reopen) == ("", False)
    retried = after(*skipped, e.TaskRetried("A", "try this", "ada"))
    assert (retried.tasks["A"].skipped, retried.tasks["A"].reopen) == ("", True)
    again = after(*skipped, e.TaskRetried("A", "", "ada"), e.TaskSkipped("A", "", "ada"))
    assert (again.tasks["A"].skipped, again.tasks["A"].reopen) == ("skipped by ada", False)


second = replace(settled, iteration=2, task="B", commit="c2")


def test_a_revert_reopens_what_came_after() -> None:
    state = after(run_started, settled, second, e.Reverted(1, "c1", KEPT, ("B",), "ada"))
    assert (state.commits, state.settled, state.verified) == ({1: "c1"}, {1: "A"}, "c1")
    assert (state.tasks["B"].reopen, state.tasks["B"].commit) == (True, "")


def test_after_a_squash_everything_can_still_be_reopened() -> None:
    unfinished = replace(started, iteration=3, task="C")
    squashed = e.Squashed("all", KEPT, ("A", "B"), "ada")
    state = after(run_started, settled, second, unfinished, squashed)
    assert (state.commits, state.settled) == ({2: "all"}, {1: "A", 2: "B"})
    back = fold(recorded([e.Reverted(0, "base", KEPT, ("A", "B"), "ada")], after=5), state)
    assert (back.commits, back.settled) == ({}, {})


def test_a_branch_that_a_person_moved_has_no_iteration_under_way() -> None:
    about = e.AboutToCommit(1, "A", "c1", "t", "ralph/one", "base")
    for moved in (e.Reverted(0, "base", "", (), "ada"), e.Squashed("c", "", (), "ada")):
        state = after(run_started, started, about, moved)
        assert (state.open_iteration, state.committing) == (None, None)


def test_the_branch_keeps_the_commit_it_started_from() -> None:
    assert after(run_started, settled, replace(run_started, base="c1")).origin == "base"
