"""What questions and the people who answer them mean for the state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.question import Choice, QuestionKind
from ralph.domain.state import OpenQuestion, Word

if TYPE_CHECKING:
    from ralph.domain import attended as a
    from ralph.domain import event as e
    from ralph.domain.question import Question, Reply
    from ralph.domain.state import RunState, TaskState

KEPT_GUIDANCE = 10
GO_ON_FROM_SALVAGE = 2
"""The option of a FAILED question that brings the rolled back work into the workspace again."""
START_OVER = 3
"""The option of a question about work: the next agent gets none of it."""
MORE_TIME, HAND_OVER = 1, 2
"""The options of a question about the agent at work; the third ends it."""
_GO_ON = ((QuestionKind.FAILED, GO_ON_FROM_SALVAGE), (QuestionKind.BUDGET, 1))
_LEAVE_OUT = (QuestionKind.BUDGET, 2)


def escalated(state: RunState, recorded: e.Recorded, event: e.Escalated) -> None:
    state.question_count += 1
    state.questions[event.question.id] = OpenQuestion(event.question, recorded.at)
    if event.question.kind.parks:
        state.task(event.question.task).question = event.question.id


def answered(state: RunState, _: e.Recorded, event: e.Answered) -> None:
    opened = state.questions.get(event.question)
    if opened is None:
        return
    question, reply = opened.question, event.reply
    if reply.choice is Choice.ABORT:
        state.run.stop = event.by  # the question stays: nobody has answered it
        return
    del state.questions[event.question]
    if question.kind is QuestionKind.PLAN_EDIT:
        if reply.choice is Choice.OPTION and reply.option == 1:
            state.plan_edit = question.salvage
    elif question.kind is QuestionKind.AGENT:
        _about_the_agent(state, question.task, reply, event.by)
    else:
        _about_the_task(state, question, reply, event.by)


def _about_the_task(state: RunState, question: Question, reply: Reply, by: str) -> None:
    task = _start_over(state, question.task)
    task.cost = 0.0  # letting it continue lets it spend the same amount again
    if reply.choice is Choice.SKIP or _leaves_out(question, reply):
        task.skipped = task.left_out = f"{by} skipped it when asked: {question.summary}"
    elif reply.choice is Choice.GUIDANCE:
        keep(task.guidance, reply.text, KEPT_GUIDANCE)
    elif reply.choice is Choice.OPTION:
        _chosen(task, question, reply.option, by)


def _about_the_agent(state: RunState, task: str, reply: Reply, by: str) -> None:
    """What becomes of the agent at work; whatever ends it, a fresh one follows."""
    run = state.run
    if reply.choice is Choice.GUIDANCE:
        run.words.append(Word(reply.text, by))
        run.more_time += 1
    elif reply.option == MORE_TIME:
        run.more_time += 1
    elif reply.option == HAND_OVER:
        run.relieve = by
    else:
        run.dismiss = by
    if reply.choice is Choice.SKIP:
        _leave_out(state, task, f"{by} skipped it while an agent worked on it")


def nudge_requested(state: RunState, _: e.Recorded, event: a.NudgeRequested) -> None:
    state.run.words.append(Word(event.text, event.by))


def handoff_requested(state: RunState, _: e.Recorded, event: a.HandoffRequested) -> None:
    state.run.relieve = event.by


def agent_gone(state: RunState, task: str) -> None:
    """No agent is at work: what it was not told is for the next one, and nobody asks about it."""
    run = state.run
    for word in run.words:
        keep(state.task(task).guidance, word.text, KEPT_GUIDANCE)
    run.words, run.more_time, run.relieve, run.dismiss = [], 0, "", ""
    agent_well(state)


def agent_well(state: RunState) -> None:
    """Nobody has to decide about the agent at work."""
    for name, opened in list(state.questions.items()):
        if opened.question.kind is QuestionKind.AGENT:
            del state.questions[name]


def _chosen(task: TaskState, question: Question, option: int, by: str) -> None:
    """An option of Ralph's own is something to do; one of an agent's is a word to the next one."""
    match question.kind:
        case QuestionKind.ACCEPT if option == 1:
            task.accepted, task.accepted_by = question.salvage or "HEAD", by
        case QuestionKind.ACCEPT if question.salvage and option == START_OVER:
            set_aside(task)
        case QuestionKind.ACCEPT if question.salvage:
            task.feedback = f"{by} sent the work back. {question.summary}\n{question.context}"
        case QuestionKind.FAILED | QuestionKind.BUDGET if (question.kind, option) in _GO_ON:
            task.salvage = task.abandoned
        case QuestionKind.STUCK | QuestionKind.DEVIATION:
            chosen = question.options[option - 1 : option]
            words = f"Proceed with option {option}" + (f": {chosen[0]}" if chosen else "")
            keep(task.guidance, words, KEPT_GUIDANCE)
        case _:
            pass


def set_aside(task: TaskState) -> None:
    """The next attempt gets nothing of the work so far; it is kept."""
    task.abandoned = task.salvage or task.abandoned
    task.salvage = task.checkpoint = task.feedback = ""
    task.fix_only = False


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
        if about.task == task and about.kind.parks:
            del state.questions[name]
    state.task(task).question = ""


def task_skipped(state: RunState, _: e.Recorded, event: e.TaskSkipped) -> None:
    _leave_out(state, event.task, event.why or f"skipped by {event.by}").reopen = False


def _leave_out(state: RunState, name: str, why: str) -> TaskState:
    task = _start_over(state, name)
    task.skipped = task.left_out = why
    return task


def plan_marked(state: RunState, _: e.Recorded, event: e.PlanMarked) -> None:
    for name in event.tasks:
        task = state.task(name)
        task.skipped = ""
        task.reopen = False
        task.reopened = name not in event.skipped


def task_retried(state: RunState, _: e.Recorded, event: e.TaskRetried) -> None:
    task = _start_over(state, event.task)
    task.skipped = task.left_out = ""
    task.reopen = True
    task.fresh = event.fresh
    if event.fresh:
        set_aside(task)
    if event.by != "ralph":
        task.cost = 0.0
    keep(task.guidance, event.feedback, KEPT_GUIDANCE)


def keep(entries: list[str], new: str, most: int) -> None:
    if new:
        entries.append(new)
        del entries[:-most]
