"""What is going on: status and logs."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from ralph.domain.decision import StopReason
from ralph.domain.errors import PlanError
from ralph.policy.select import parked, select
from ralph.repo import lock
from ralph.ui import money, planned, words
from ralph.ui.cli.common import count, json_option, print_json, to_steer
from ralph.views import status as views

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState
    from ralph.ui.wire import Project

STYLES = {"done": "green", "ready": "blue", "parked": "magenta", "skipped": "yellow"}
SIGNS = {"done": "✓", "ready": "·", "parked": "?", "skipped": "-", "waiting": " "}


@click.command()
@click.argument("plan", required=False)
@json_option
def status(plan: str | None, as_json: bool) -> None:
    """Show the plan, the next task, the last iteration, and whether a loop is running."""
    found = to_steer()
    journal = found.journal()
    state = journal.state
    content = found_plan(found, state, plan)
    rows = views.task_rows(state, content) if content else []
    counts = counted(rows)
    holder = lock.holder(found.repo.common_dir)
    now = views.going_on(state, time.time()) if holder else None
    upcoming = upcoming_row(content, state, rows, now["task"] if now else "")
    spending, lines = money.summary(journal, found.settings, content)
    journal.close()
    journal.ledger.close()
    if as_json:
        summary = asdict(views.loop_status(state, found.repo.project, [], found.settings))
        del summary["iterations"]
        summary["config"] = asdict(summary["config"])
        running = holder.pid if holder else None
        moment = {"running_pid": running, "now": now, "next": upcoming}
        more = {"counts": counts, "tasks": rows}
        print_json(summary | moment | more | {"follow_ups": len(state.follow_ups)} | spending)
        return
    if state.run.id and (why := planned.trouble(found, plan, state)):
        click.secho(f"! {words.line(why)} Shown as it was committed last.", fg="yellow", err=True)
    here = content is None or content.source == state.run.plan
    _show_status(state, rows, counts, holder.pid if holder else None, here=here)
    _show_moment(state, now, upcoming, here=here)
    for line in lines:
        click.echo(f"  {line}")


def counted(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many tasks stand where."""
    stands = Counter(row["status"] for row in rows)
    return {name: stands[name] for name in SIGNS}


def upcoming_row(
    plan: Plan | None, state: RunState, rows: list[dict[str, Any]], at_hand: str
) -> dict[str, Any] | None:
    """The task that a run would take next, besides the one at hand."""
    if plan is None:
        return None
    task = select(plan, parked=parked(state) | {at_hand}, area=state.area)
    return next((row for row in rows if task is not None and row["id"] == task.id), None)


def _show_status(
    state: RunState,
    rows: list[dict[str, Any]],
    counts: dict[str, int],
    pid: int | None,
    *,
    here: bool,
) -> None:
    """`here` tells whether the rows are those of the plan that was worked on last."""
    run = state.run
    click.secho(headline(state, counts, pid, here=here), bold=True)
    click.echo(f"  {words.progress(counts['done'], len(rows), counts['skipped'])}")
    for row in rows:
        line = f"  {SIGNS[row['status']]} {named(row)}"
        detail = _proof(row) or words.line(row["why"])
        click.secho(f"{line}  ({detail})" if detail else line, fg=STYLES.get(row["status"]))
    if pid and run.waits:
        click.secho(f"  {words.line(run.waits)}", fg="cyan")
    if state.questions:
        waiting = count(len(state.questions), "open question")
        click.secho(f"  {waiting}: `ralph inbox`", fg="magenta")
    if state.follow_ups:
        suggested = count(len(state.follow_ups), "follow-up task")
        click.echo(f"  {suggested} suggested by agents: `ralph report`")


def headline(state: RunState, counts: dict[str, int], pid: int | None, *, here: bool = True) -> str:
    """Which run it is, and whether it is alive."""
    if not pid and not (state.run.id and here):
        return "Not started"
    doing = f"{_doing(state)} (pid {pid})" if pid else _at_rest(state, counts)
    return f"{words.line(state.run.goal or state.run.plan)} · {doing}"


def _doing(state: RunState) -> str:
    if state.run.paused and state.open_iteration is None:
        return "paused"
    if state.run.paused or state.run.stop:
        return f"{'pauses' if state.run.paused else 'stops'} after this iteration"
    return "waiting" if state.run.waits else "running"


def _show_moment(
    state: RunState, now: dict[str, Any] | None, upcoming: dict[str, Any] | None, *, here: bool
) -> None:
    """What is being done, what comes next, and what came last."""
    if now is not None:
        cost = "cost unknown" if now["cost_usd"] is None else money.dollars(now["cost_usd"])
        click.echo(f"  for {words.minute(now['seconds'])} · {cost}")
    if now is not None and now["phase"]:
        attempt = f" (attempt {now['attempt']})" if now["attempt"] > 1 else ""
        task = f"{words.line(now['task'])}{attempt} · " if now["task"] else ""
        since = words.minute(now["phase_seconds"])
        click.secho(f"  now: {task}{now['phase']} for {since}", fg="cyan")
    elif now is not None and state.questions and not (state.run.waits or state.run.paused):
        click.secho(f"  now: waiting for an answer to {', '.join(state.questions)}", fg="cyan")
    if upcoming:
        click.echo(f"  next: {upcoming['id']}")
    last = state.iteration - (state.open_iteration is not None)
    if state.last_outcome and last and here:
        why = words.line(state.last_why)
        click.echo(f"  last iteration {last}: {state.last_outcome}: {why}")
        click.echo(f"  its log: `ralph logs --iteration {last}`")


def level_of(row: dict[str, Any]) -> str:
    return f"{row['level']}, unproven" if row["unproven"] else str(row["level"])


def _proof(row: dict[str, Any]) -> str:
    return f"{level_of(row)} · {row['commit'][:10]}" if row["commit"] else ""


def named(row: dict[str, Any]) -> str:
    return f"{words.line(row['id'])}  {words.line(row['title'])}"


def _at_rest(state: RunState, counts: dict[str, int]) -> str:
    """No process works here, so a run that has no end was killed.

    How the last one ended is told as long as it still holds: people may have answered since,
    opened tasks again, or gone back to an earlier commit.
    """
    run, again = state.run, words.again(state.run.plan)
    if run.id and not run.ended_at:
        return f"interrupted. Continue with {again}"
    if run.reason is None:
        return views.loop_state(state).value
    left = sum(counts.values()) - counts["done"] - counts["skipped"]
    if run.reason is StopReason.GOAL_ACHIEVED and left:
        return f"{count(left, 'task')} to do. Continue with {again}"
    if run.reason is StopReason.WAITING_FOR_PERSON and not state.questions:
        return f"nothing waits for you any more. Continue with {again}"
    why = "" if run.reason is StopReason.GOAL_ACHIEVED else f": {words.line(run.why)}"
    return f"{views.ENDINGS[run.reason]}{why}"


def found_plan(found: Project, state: RunState, given: str | None) -> Plan | None:
    """The plan as the last run left it; none is fine for commands that only look."""
    try:
        return found.read_plan(given, state)
    except PlanError:
        if given:
            raise
        return None
