"""What people ask of a run, wherever they ask it: in a command, on a page, on a full screen.

Each call records what was asked, by whom, and returns what to tell them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ralph.domain.attended import HandoffRequested, Intervened, NudgeRequested
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
from ralph.domain.state import RunPhase, Word
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
    if changed := _in_the_way(found):
        raise RalphError(
            f"Somebody changed {', '.join(changed[:3])} in {found.root} during the pause.",
            fix="Commit it, stash it or take it away; then `ralph resume`.",
        )
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
    told = f"{task} is skipped. Undo this with `ralph retry {task}`."
    if _under_way(found) != task:
        return told
    return f"{told}\nAn agent is at work on it and may finish it: `ralph stop --now` ends it."


def nudge(found: Project, by: str, text: str) -> str:
    """Waits a moment for the agent to take it."""
    task = _at_work(found)
    _write(found, NudgeRequested(task, text, by))
    match _passed_on(found, task, Word(text, by)):
        case True:
            return f"The agent that works on {task} has it."
        case False:
            return (
                "The agent has not taken it: some take no messages while they work.\n"
                f"The next one that works on {task} gets it."
            )
        case _:
            return f"The agent that worked on {task} ended before it could take it."


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


def _under_way(found: Project) -> str:
    """The task of the iteration that is running; nothing if none is."""
    journal = found.journal()
    try:
        opened = journal.state.open_iteration
    finally:
        journal.ledger.close()
    return opened.task if opened is not None and is_running(found) else ""


def _at_work(found: Project) -> str:
    """The task of the agent at work."""
    journal = found.journal()
    try:
        opened, phase = journal.state.open_iteration, journal.state.run.phase
    finally:
        journal.ledger.close()
    if opened is None or phase is not RunPhase.AGENT or not is_running(found):
        raise RalphError(
            f"No agent is at work on {found.root}.",
            fix="`ralph retry ID --feedback TEXT` tells the next one that works on a task.",
        )
    return opened.task


def _passed_on(found: Project, task: str, word: Word) -> bool | None:
    """Whether the agent got it, after a moment; None if neither it nor another one will."""
    journal = found.journal()
    told: list[Intervened] = []
    try:
        for _ in range(round(PASSED_ON_SECONDS / LOOK_SECONDS)):
            time.sleep(LOOK_SECONDS)
            told += [r.event for r in journal.refresh() if isinstance(r.event, Intervened)]
            if word not in journal.state.run.words:
                break
        state = journal.state
        if any((one.by, one.text) == (word.by, word.text) for one in told):
            return True
        waits = word in state.run.words or word.text in state.known(task).guidance
        return False if waits else None
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


def _in_the_way(found: Project) -> tuple[str, ...]:
    """What would stop a paused loop that works in this checkout: a person's uncommitted edits."""
    from ralph.repo import status

    journal = found.journal()
    state = journal.state
    try:
        paused = is_running(found) and state.run.paused and state.open_iteration is None
        if not paused or state.run.worktree or state.holding:
            return ()
        own = found.settings
        allowed = {*state.run.untracked, *state.run.dirt, "ralph.yaml", ".gitignore"}
        allowed |= {own.prompts.file, own.tasks.parent_id_file}
        allowed |= set(found.plan(state.run.plan).files(found.root))
    finally:
        journal.ledger.close()
    seen = status.look(found.repo.git)
    return tuple(name for name in (*seen.tracked, *seen.untracked) if name not in allowed)


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
