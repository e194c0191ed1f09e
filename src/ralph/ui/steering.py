"""What people ask of a run, wherever they ask it: in a command, on a page, on a full screen.

Each call records what was asked, by whom, and returns what to tell them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.domain.attended import HandoffRequested, NudgeRequested
from ralph.domain.errors import PlanError, RalphError
from ralph.domain.event import (
    Answered,
    PauseRequested,
    ResumeRequested,
    StopRequested,
    TaskRetried,
    TaskSkipped,
)
from ralph.domain.question import Choice
from ralph.domain.state import Word
from ralph.domain.trouble import TroubleKind
from ralph.repo import lock
from ralph.ui import words

if TYPE_CHECKING:
    from ralph.domain.event import Event
    from ralph.domain.question import Reply
    from ralph.domain.task import Task
    from ralph.ui.wire import Project

PASSED_ON_SECONDS = 4.0
LOOK_SECONDS = 0.2


def is_running(found: Project) -> bool:
    return lock.holder(found.repo.common_dir) is not None


def pause(found: Project, by: str) -> str:
    _to_the_loop(found, PauseRequested(by))
    return "The loop will pause after this iteration. Continue it with `ralph resume`."


def resume(found: Project, by: str) -> str:
    if not is_running(found) and _is_limited(found):
        _write(found, ResumeRequested(by))
        return "Forgot the usage limit: the next run tries the agent again."
    _to_the_loop(found, ResumeRequested(by))
    return "The loop continues."


def stop(found: Project, by: str, *, now: bool = False) -> str:
    _to_the_loop(found, StopRequested(by, now=now))
    return "The loop is stopping now." if now else "The loop will stop after this iteration."


def retry(found: Project, by: str, task: str, feedback: str = "", *, fresh: bool = False) -> str:
    _known(found, task)
    again = _write(found, TaskRetried(task, feedback, by, fresh=fresh))
    return f"{task} will be tried again by the running loop, or by the next {again}."


def skip(found: Project, by: str, task: str, why: str = "") -> str:
    if _known(found, task).is_done:
        raise PlanError(f"{task} is done already.", fix="Undo its commit with `ralph revert`.")
    _write(found, TaskSkipped(task, why or f"skipped by {by}", by))
    return f"{task} is skipped. Undo this with `ralph retry {task}`."


def nudge(found: Project, by: str, text: str) -> str:
    """Waits a moment for the agent to take it."""
    task = _at_work(found)
    _write(found, NudgeRequested(task, text, by))
    if _passed_on(found, Word(text, by)):
        return f"The agent that works on {task} has it."
    return (
        "The agent has not taken it: some take no messages while they work.\n"
        f"The next one that works on {task} gets it."
    )


def handoff(found: Project, by: str) -> str:
    task = _at_work(found)
    _write(found, HandoffRequested(task, by))
    return f"The agent that works on {task} is asked to wrap up. A fresh one continues from there."


def answer(found: Project, by: str, question_id: str, reply: Reply) -> str:
    journal = found.journal()
    try:
        opened = journal.state.questions.get(question_id)
        if opened is None:
            raise RalphError(
                f"There is no open question {question_id}.", fix="List them with `ralph inbox`."
            )
        count = len(opened.question.options)
        if reply.choice is Choice.OPTION and not 1 <= reply.option <= count:
            raise RalphError(
                f"{question_id} has no option {reply.option}.",
                fix="Choose one of its options, or give --text TEXT.",
            )
        journal.run = journal.state.run.id
        journal.record(Answered(question_id, reply, by))
        again = words.again(journal.state.run.plan)
    finally:
        journal.close()
        journal.ledger.close()
    return f"Answered {question_id}. Continue with {again}; a running loop picks it up by itself."


def _at_work(found: Project) -> str:
    """The task of the agent at work."""
    journal = found.journal()
    try:
        opened = journal.state.open_iteration
    finally:
        journal.ledger.close()
    if opened is None or not is_running(found):
        raise RalphError(
            f"No agent is at work on {found.root}.",
            fix="`ralph retry ID --feedback TEXT` tells the next one that works on a task.",
        )
    return opened.task


def _passed_on(found: Project, word: Word) -> bool:
    """Whether the agent got it, after a moment."""
    journal = found.journal()
    try:
        for _ in range(round(PASSED_ON_SECONDS / LOOK_SECONDS)):
            time.sleep(LOOK_SECONDS)
            journal.refresh()
            if word not in journal.state.run.words:
                return word.text not in journal.state.known(journal.state.last_task).guidance
        return False
    finally:
        journal.ledger.close()


def _known(found: Project, task: str) -> Task:
    journal = found.journal()
    try:
        plan = found.read_plan(None, journal.state)
    finally:
        journal.ledger.close()
    if task not in plan.by_id:
        raise PlanError(
            f"{plan.source} has no task {task}.", fix="List the tasks with `ralph status`."
        )
    return plan.by_id[task]


def _is_limited(found: Project) -> bool:
    """Whether the next run would wait for a limit, or not start because of it."""
    journal = found.journal()
    try:
        known = journal.state.agents.values()
        return any(agent.kind is TroubleKind.USAGE_LIMIT for agent in known)
    finally:
        journal.ledger.close()


def _to_the_loop(found: Project, event: Event) -> None:
    if not is_running(found):
        raise RalphError(
            f"No loop is running on {found.root}.", fix="Start or continue one with `ralph run`."
        )
    _write(found, event)


def _write(found: Project, event: Event) -> str:
    """Returns the command that continues the work."""
    journal = found.journal()
    try:
        journal.run = journal.state.run.id
        journal.record(event)
        return words.again(journal.state.run.plan)
    finally:
        journal.close()
        journal.ledger.close()
