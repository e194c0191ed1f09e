"""From another terminal: pause, resume, stop, retry, skip."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ralph.domain.errors import PlanError, RalphError
from ralph.domain.event import (
    PauseRequested,
    ResumeRequested,
    StopRequested,
    TaskRetried,
    TaskSkipped,
)
from ralph.domain.trouble import TroubleKind
from ralph.repo import lock
from ralph.ui import wire
from ralph.ui.cli.common import me
from ralph.ui.cli.completion import one_task
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from ralph.domain.event import Event
    from ralph.domain.task import Task
    from ralph.ui.wire import Project


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
        click.echo("Forgot the usage limit: the next `ralph run` tries the agent again.")
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
@decides()
def retry(task_id: str, feedback: str) -> None:
    """Retry a task: its failures are forgotten, your feedback goes into the prompt."""
    found = wire.project(to_write=False)
    _known(found, task_id)
    _write(found, TaskRetried(task_id, feedback, me()))
    click.echo(f"{task_id} will be tried again by the running loop, or by the next `ralph run`.")


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


def _write(found: Project, event: Event) -> None:
    journal = found.journal()
    try:
        journal.run = journal.state.run.id
        journal.record(event)
    finally:
        journal.close()
        journal.ledger.close()
