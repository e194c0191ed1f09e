"""What questions and the people who answer them mean for the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.question import Choice, QuestionKind
from ralph.domain.state import OpenQuestion

if TYPE_CHECKING:
    from ralph.domain import event as e
    from ralph.domain.question import Question, Reply
    from ralph.domain.state import RunState, TaskState

KEPT_GUIDANCE = 10
GO_ON_FROM_SALVAGE = 2
"""The option of a FAILED question that brings the rolled back work into the workspace again."""
_GO_ON = ((QuestionKind.FAILED, GO_ON_FROM_SALVAGE), (QuestionKind.BUDGET, 1))
_LEAVE_OUT = (QuestionKind.BUDGET, 2)


def escalated(state: RunState, recorded: e.Recorded, event: e.Escalated) -> None:
    state.question_count += 1
    state.questions[event.question.id] = OpenQuestion(event.question, recorded.at)
    if event.question.kind is not QuestionKind.PLAN_EDIT:
        state.task(event.question.task).question = event.question.id


def answered(state: RunState, _: e.Recorded, event: e.Answered) -> None:
    opened = state.questions.pop(event.question, None)
    if opened is None:
        return
    question, reply = opened.question, event.reply
    if reply.choice is Choice.ABORT:
        state.run.stop = event.by
    if question.kind is QuestionKind.PLAN_EDIT:
        if reply.choice is Choice.OPTION and reply.option == 1:
            state.plan_edit = question.salvage
        return
    task = _start_over(state, question.task)
    task.cost = 0.0  # letting it continue lets it spend the same amount again
    if reply.choice is Choice.SKIP or _leaves_out(question, reply):
        task.skipped = f"{event.by} skipped it when asked: {question.summary}"
    elif reply.choice is Choice.GUIDANCE:
        keep(task.guidance, reply.text, KEPT_GUIDANCE)
    elif reply.choice is Choice.OPTION:
        if question.kind is QuestionKind.ACCEPT and reply.option == 1:
            task.accepted, task.accepted_by = question.salvage or "HEAD", event.by
        elif (question.kind, reply.option) in _GO_ON:
            task.salvage = task.abandoned
        else:
            chosen = question.options[reply.option - 1 : reply.option]
            words = f"Proceed with option {reply.option}" + (f": {chosen[0]}" if chosen else "")
            keep(task.guidance, words, KEPT_GUIDANCE)


def _leaves_out(question: Question, reply: Reply) -> bool:
    return reply.choice is Choice.OPTION and (question.kind, reply.option) == _LEAVE_OUT


def _start_over(state: RunState, name: str) -> TaskState:
    """A person has spoken: earlier failures no longer count."""
    task = state.task(name)
    close_questions(state, name)
    task.failures = 0
    task.signatures.clear()
    task.trees.clear()
    task.accepted = ""
    state.run.failures = 0
    state.run.since_completed = 0
    return task


def close_questions(state: RunState, task: str) -> None:
    for name, opened in list(state.questions.items()):
        about = opened.question
        if about.task == task and about.kind is not QuestionKind.PLAN_EDIT:
            del state.questions[name]
    state.task(task).question = ""


def task_skipped(state: RunState, _: e.Recorded, event: e.TaskSkipped) -> None:
    task = _start_over(state, event.task)
    task.skipped = event.why or f"skipped by {event.by}"
    task.reopen = False


def plan_marked(state: RunState, _: e.Recorded, event: e.PlanMarked) -> None:
    for name in event.tasks:
        task = state.task(name)
        task.skipped = ""
        task.reopen = False


def task_retried(state: RunState, _: e.Recorded, event: e.TaskRetried) -> None:
    task = _start_over(state, event.task)
    task.skipped = ""
    task.reopen = True
    if event.by != "ralph":
        task.cost = 0.0
    keep(task.guidance, event.feedback, KEPT_GUIDANCE)


def keep(entries: list[str], new: str, most: int) -> None:
    if new:
        entries.append(new)
        del entries[:-most]
