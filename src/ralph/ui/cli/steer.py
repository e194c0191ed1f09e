"""From another terminal: pause, resume, stop, retry, skip, a word to the agent at work."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from ralph.domain.attended import HandoffRequested, NudgeRequested
from ralph.domain.errors import PlanError, RalphError
from ralph.domain.event import (
    PauseRequested,
    ResumeRequested,
    StopRequested,
    TaskRetried,
    TaskSkipped,
)
from ralph.domain.state import Word
from ralph.domain.trouble import TroubleKind
from ralph.repo import lock
from ralph.ui import wire, words
from ralph.ui.cli.common import me
from ralph.ui.cli.completion import one_task
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from ralph.domain.event import Event
    from ralph.domain.task import Task
    from ralph.ui.wire import Project


PASSED_ON_SECONDS = 4.0
LOOK_SECONDS = 0.2


@click.command()
@decides()
def pause() -> None:
    """Pause a running loop after its current iteration. The process stays and waits."""
    _to_the_loop(PauseRequested(me()))
    click.echo("The loop will pause after this iteration. Continue it with `ralph resume`.")


@click.command()
@decides()
def resume() -> None:
    """Resume a loop that is paused or waits for a usage limit."""
    found = wire.project(to_write=False)
    if not _is_running(found) and _is_limited(found):
        _write(found, ResumeRequested(me()))
        click.echo("Forgot the usage limit: the next run tries the agent again.")
        return
    _to_the_loop(ResumeRequested(me()))
    click.echo("The loop continues.")


@click.command()
@click.option("--now", is_flag=True, help="Stop the agent as well; its work is kept in salvage.")
@decides()
def stop(now: bool) -> None:
    """Stop a running loop after its current iteration."""
    _to_the_loop(StopRequested(me(), now=now))
    click.echo("The loop is stopping now." if now else "The loop will stop after this iteration.")


@click.command()
@one_task
@click.option("--feedback", default="", metavar="TEXT", help="What the next agent should know.")
@click.option("--fresh", is_flag=True, help="Without its unfinished work, which stays in salvage.")
@decides()
def retry(task_id: str, feedback: str, fresh: bool) -> None:
    """Retry a task: its failures are forgotten, your feedback goes into the prompt."""
    found = wire.project(to_write=False)
    _known(found, task_id)
    again = _write(found, TaskRetried(task_id, feedback, me(), fresh=fresh))
    click.echo(f"{task_id} will be tried again by the running loop, or by the next {again}.")


@click.command()
@one_task
@click.option("--why", default="", metavar="TEXT", help="Your reason, for the record.")
@decides()
def skip(task_id: str, why: str) -> None:
    """Skip a task. This is recorded at once, and in the plan with the next commit."""
    found = wire.project(to_write=False)
    if _known(found, task_id).is_done:
        raise PlanError(f"{task_id} is done already.", fix="Undo its commit with `ralph revert`.")
    _write(found, TaskSkipped(task_id, why or f"skipped by {me()}", me()))
    click.echo(f"{task_id} is skipped. Undo this with `ralph retry {task_id}`.")


@click.command()
@click.argument("text", nargs=-1, required=True)
@decides()
def nudge(text: tuple[str, ...]) -> None:
    """Tell the agent at work something, in its own context: `ralph nudge "Use v2 of the API"`."""
    found, task = _at_work()
    told = " ".join(text)
    _write(found, NudgeRequested(task, told, me()))
    if _passed_on(found, Word(told, me())):
        click.echo(f"The agent that works on {task} has it.")
    else:
        click.echo(
            "The agent has not taken it: some take no messages while they work.\n"
            f"The next one that works on {task} gets it."
        )


@click.command()
@decides()
def handoff() -> None:
    """Have the agent at work hand its task over to a fresh one now."""
    found, task = _at_work()
    _write(found, HandoffRequested(task, me()))
    click.echo(
        f"The agent that works on {task} is asked to wrap up. A fresh one continues from there."
    )


def _at_work() -> tuple[Project, str]:
    """The task of the agent at work."""
    found = wire.project(to_write=False)
    journal = found.journal()
    try:
        opened = journal.state.open_iteration
    finally:
        journal.ledger.close()
    if opened is None or not _is_running(found):
        raise RalphError(
            f"No agent is at work on {found.root}.",
            fix="`ralph retry ID --feedback TEXT` tells the next one that works on a task.",
        )
    return found, opened.task


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


def _known(found: Project, task_id: str) -> Task:
    journal = found.journal()
    try:
        plan = found.read_plan(None, journal.state)
    finally:
        journal.ledger.close()
    if task_id not in plan.by_id:
        raise PlanError(
            f"{plan.source} has no task {task_id}.", fix="List the tasks with `ralph status`."
        )
    return plan.by_id[task_id]


def _is_running(found: Project) -> bool:
    return lock.holder(found.repo.common_dir) is not None


def _is_limited(found: Project) -> bool:
    """Whether the next run would wait for a limit, or not start because of it."""
    journal = found.journal()
    try:
        known = journal.state.agents.values()
        return any(agent.kind is TroubleKind.USAGE_LIMIT for agent in known)
    finally:
        journal.ledger.close()


def _to_the_loop(event: Event) -> None:
    found = wire.project(to_write=False)
    if not _is_running(found):
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
