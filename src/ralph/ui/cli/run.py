"""The loop from the command line."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import click

from ralph.domain.errors import RalphError
from ralph.domain.event import IterationStarted, RunEnded
from ralph.loop.run import Asked
from ralph.policy.select import wished
from ralph.repo import lock
from ralph.ui import wire, words
from ralph.ui.cli.common import print_json
from ralph.ui.cli.completion import agents, tasks
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.event import Recorded
    from ralph.loop.ports import People
    from ralph.loop.run import Run
    from ralph.ui.bottom import Bottom
    from ralph.ui.console import RunConsole
    from ralph.ui.wire import Project

OWN = "command"
"""What an agent given by --agent-command is called."""


@click.command()
@click.argument("plan", required=False)
@click.option("--once", is_flag=True, help="One iteration only.")
@click.option(
    "--max-iterations", type=click.IntRange(1), metavar="N", help="Stop after N iterations."
)
@click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Stop at this cost.")
@click.option("--max-minutes", type=click.FloatRange(0), metavar="N", help="Stop after N minutes.")
@click.option("--task", "task_id", metavar="ID", help="Only this task.", shell_complete=tasks)
@click.option("--worktree", is_flag=True, help="Leave your checkout alone: work in a worktree.")
@click.option(
    "--agent",
    metavar="NAME[,NAME…]",
    help="The agent; later ones take over.",
    shell_complete=agents,
)
@click.option("--agent-command", metavar="CMD", help="A command of your own as the agent.")
@click.option("--verify", multiple=True, metavar="CMD", help="A check; repeatable.")
@click.option(
    "--on-escalation",
    type=click.Choice(["ask", "park", "abort"]),
    help="What to do with questions.",
)
@click.option("--json", "as_json", is_flag=True, help="Print events as JSON lines.")
@click.option("--dry-run", is_flag=True, help="Show the next task and the exact prompt.")
@decides(unless="dry_run")
def run(  # noqa: PLR0917 - click passes one argument per option
    plan: str | None,
    once: bool,
    max_iterations: int | None,
    max_cost: float | None,
    max_minutes: float | None,
    task_id: str | None,
    worktree: bool,
    agent: str | None,
    agent_command: str | None,
    verify: tuple[str, ...],
    on_escalation: str | None,
    as_json: bool,
    dry_run: bool,
) -> int:
    """Work on PLAN until every task is settled, a limit is reached or a person must decide.

    PLAN is a PRD.json, a task-tree folder, a Markdown checklist or github:owner/repo?label=…; the
    default is what ralph.yaml says, else PRD.json, else .ralph/tasks.
    """
    flags: dict[str, object] = {
        "loop.max_iterations": max_iterations,
        "loop.max_cost": max_cost,
        "loop.max_minutes": max_minutes,
        "loop.on_escalation": on_escalation,
        "repo.workspace": "worktree" if worktree else None,
        **chain_flags(agent, agent_command),
        "verification.commands": list(verify) or None,
    }
    given = {key: value for key, value in flags.items() if value is not None}
    # a merge that a killed run's agent left half done is for the recovery to clear
    found = wire.project(given, to_write=False)
    asked = Asked(only=task_id or "", once=once)
    if dry_run:
        return _dry_run(found, plan, asked, as_json=as_json)
    return execute(trusted(found), plan, asked, as_json=as_json)


def chain_flags(agent: str | None, command: str | None) -> dict[str, object]:
    """Who works: a command of one's own works alone, a list of names is the whole chain."""
    if command:
        return {"agent": OWN, "fallback": [], f"agents.{OWN}.command": command}
    if agent is None or "," not in agent:
        return {"agent": agent}
    first, *others = (name.strip() for name in agent.split(","))
    return {"agent": first, "fallback": others}


def execute(
    found: Project,
    plan: str | None,
    asked: Asked,
    *,
    as_json: bool = False,
    people: Callable[[Callable[[str], None]], People] | None = None,
    attach: Callable[[Run], Run] | None = None,
) -> int:
    """Hold the repository's lock and run; the exit code. `attach` may change what it works with."""
    import asyncio

    with lock.hold(lock.path_in(found.repo.common_dir)):
        for note in wire.refresh(found, plan):
            _note(note, as_json=as_json)
        return asyncio.run(_run(found, plan, asked, as_json=as_json, people=people, attach=attach))


async def _run(
    found: Project,
    plan: str | None,
    asked: Asked,
    *,
    as_json: bool,
    people: Callable[[Callable[[str], None]], People] | None,
    attach: Callable[[Run], Run] | None,
) -> int:
    from ralph.loop.drive import drive
    from ralph.loop.views import Views
    from ralph.ui.bottom import beating
    from ralph.ui.measuring import measuring
    from ralph.ui.money import unbounded_cost
    from ralph.ui.notifying import notifying

    run = wire.assembled(found, plan, asked, people=people, tell=_tell_err if as_json else None)
    try:
        Views(run).load()
        bottom = None
        if as_json:
            run.journal.watch(_print_json)
        else:
            bottom = _watched(run)
        if attach is not None:
            run = attach(run)
        for text in () if as_json else (*found.loaded.notes, *unbounded_cost(found, run)):
            words.put(f"  ! {text}\n")
        for line in () if as_json else _foreseen(run):
            words.put(f"  $ {line}\n")
        note = partial(_note, as_json=as_json)
        async with (
            measuring(found, run, note),
            wire.telling(found, run, note),
            notifying(run, found.root, note),
            beating(run, bottom),
        ):
            return await drive(run)
    finally:
        run.journal.close()
        run.journal.ledger.close()


def _foreseen(run: Run) -> list[str]:
    """What the run will likely cost, if the history of this project tells it."""
    from ralph.loop.planning import read_plan
    from ralph.policy.forecast import left_to_do
    from ralph.ui.money import forecast_lines

    tasks = left_to_do(read_plan(run), run.state)
    found = run.economics.forecast_cost(tasks) if tasks else None
    told = found is not None and found.history
    return [f"forecast: {line}" for line in forecast_lines(found)] if found and told else []


def _note(text: str, *, as_json: bool) -> None:
    words.put(f"  ! {words.line(text)}\n", sys.stderr if as_json else None)


def _tell_err(text: str) -> None:
    words.put(f"{text}\n", sys.stderr)


def _recount(run: Run, console: RunConsole, recorded: Recorded) -> None:
    """People add tasks while Ralph runs."""
    if isinstance(recorded.event, (IterationStarted, RunEnded)):
        from ralph.loop.planning import read_plan

        with suppress(RalphError):  # what was known stays
            plan = read_plan(run)
            console.count(plan.with_statuses(wished(plan, run.state)).leaves())


def _watched(run: Run) -> Bottom | None:
    """A terminal shows what happens, and below it what goes on, if it can write a line anew."""
    from ralph.loop.planning import read_plan
    from ralph.ui.bottom import Bottom
    from ralph.ui.console import RunConsole

    plan = read_plan(run)
    console = RunConsole(total=0, done=(), asks=run.asks, state=lambda: run.state)
    console.count(plan.with_statuses(wished(plan, run.state)).leaves())
    run.journal.watch(partial(_recount, run, console))
    run.journal.watch(console)
    bottom = Bottom(run, console)
    run.control.paused = bottom.paused
    if not console.out.moves:
        return None
    run.journal.watch(bottom)
    run.control.tick, run.control.acted = bottom.tick, bottom.acted
    return bottom


def _print_json(recorded: Recorded) -> None:
    import msgspec

    line = {
        "seq": recorded.seq,
        "at": recorded.at,
        "run": recorded.run,
        "event": type(recorded.event).__name__,
        **msgspec.to_builtins(recorded.event),
    }
    try:
        text = msgspec.json.encode(line).decode()
    except UnicodeEncodeError:
        text = json.dumps(line)  # half a character, which an agent's output may hold
    words.put(text + "\n")


def _lacking(found: Project) -> tuple[str, ...]:
    from ralph.agents import lacking

    trouble = lacking(found.settings)
    return () if trouble is None else (words.line(str(trouble)),)


def _dry_run(found: Project, plan: str | None, asked: Asked, *, as_json: bool) -> int:
    """No agent is started, nothing is recorded."""
    from ralph.ui import ahead
    from ralph.ui.money import forecast_lines, forecast_view

    for note in (*wire.refresh(found, plan), *_lacking(found)):
        _note(note, as_json=True)
    task, prompt = ahead.preview(found, plan, asked)
    forecast = ahead.forecast(found, plan)
    if as_json:
        selected = None if task is None else {"id": task.id, "title": task.title}
        told = None if forecast is None else forecast_view(forecast)
        print_json({"task": selected, "forecast": told, "prompt": prompt})
    elif task is None:
        click.echo("No task is ready. See why with `ralph status`.")
    else:
        click.echo(f"# selected: {words.line(f'{task.id} {task.title}')}")
        for line in forecast_lines(forecast) if forecast is not None else ():
            click.echo(f"# forecast: {line}")
        click.echo()
        click.echo(prompt)
    return 0
