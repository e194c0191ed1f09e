"""Who or what changed which task, when, with which evidence; and that the record is whole."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from ralph.domain.errors import RalphError
from ralph.domain.event import LedgerRewritten
from ralph.domain.moment import iso
from ralph.repo import queries
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.look import found_plan
from ralph.ui.report.evidence import proof_lines
from ralph.views import proven, trail

if TYPE_CHECKING:
    from ralph.domain.event import Recorded
    from ralph.ledger.journal import Journal
    from ralph.ui.wire import Project
    from ralph.views.trail import Change

_AGO = re.compile(r"(\d+)\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def _moment(_: click.Context, __: click.Parameter, text: str | None) -> float:
    """A date, a date with a time, or how long ago; 0 without any."""
    if text is None:
        return 0
    if found := _AGO.fullmatch(text.strip()):
        return time.time() - int(found[1]) * _SECONDS[found[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()  # without a zone: of the clock here
    except ValueError as error:
        said = f"{text!r} is neither a date (2026-11-16, 2026-11-16T09:00Z) nor an age (2h, 3d)."
        raise click.BadParameter(said) from error


@click.command()
@click.option("--task", "task_id", metavar="ID", help="Only the history of this task.")
@click.option(
    "--since", callback=_moment, metavar="WHEN", help="Only since a date, or an age: 2h, 3d."
)
@json_option
def audit(task_id: str | None, since: float, as_json: bool) -> None:
    """Show who or what changed which task, when, and on what evidence.

    First verifies the ledger's hash chain, and that it knows every commit made by Ralph.
    """
    found = wire.project(to_write=False)
    journal = found.journal()
    known = journal.ledger.verify()
    # a ledger that has seen no run here was perhaps replaced: then every branch is looked at
    mine = (journal.state.run.branch, *journal.state.features)
    landed = queries.ledger_trailers(found.repo, mine)
    missing = [commit for commit, head in landed if not journal.ledger.contains(head)]
    events = journal.ledger.of_kinds(journal.project, trail.KINDS)
    rewritings = [_rewriting(one) for one in journal.ledger.across(("LedgerRewritten",))]
    changes = [
        change
        for change in trail.trail(events)
        if task_id in (None, change.task) and change.at >= since
    ]
    entries = _entries(journal, task_id, since) if task_id else []
    journal.ledger.close()
    if task_id and not since and not (changes or entries or _is_planned(found, journal, task_id)):
        raise RalphError(
            f"Neither the plan nor the ledger knows a task {task_id}.",
            fix="List the tasks with `ralph status`.",
        )
    if missing:
        raise RalphError(
            f"This ledger lacks what {count(len(missing), 'commit')} by Ralph refer to, "
            f"first {missing[0][:10]}.",
            fix="The ledger was replaced or rewritten, or the commits come from another machine.",
        )
    if as_json:
        told = [_view(change) for change in changes]
        whole = {"events": known, "chain": "intact", "task": task_id, "rewritings": rewritings}
        print_json(whole | {"changes": told, "entries": entries})
        return
    click.echo(
        f"{count(known, 'event')} in the ledger: the chain is intact, and {_held(len(landed))}."
    )
    for line in rewritings:
        click.echo(line)
    for change in changes:
        _show(change)


def _is_planned(found: Project, journal: Journal, task: str) -> bool:
    plan = found_plan(found, journal.state, None)
    return plan is not None and task in plan.by_id


def _held(commits: int) -> str:
    if not commits:
        return "no commit by Ralph is on a branch here"
    return f"it holds {'the' if commits == 1 else 'all'} {count(commits, 'commit')} by Ralph"


def _rewriting(recorded: Recorded) -> str:
    event = recorded.event
    if not isinstance(event, LedgerRewritten):
        return ""
    return words.line(
        f"{iso(recorded.at)}: {event.by} masked {count(event.values, 'secret')} in "
        f"{count(event.events, 'event')}; the hashes of events {event.first} to "
        f"{recorded.seq - 1} changed."
    )


def _entries(journal: Journal, task: str, since: float) -> list[dict[str, Any]]:
    return [
        {"seq": r.seq, "at": iso(r.at), "event": type(r.event).__name__, "run": r.run}
        for r in journal.ledger.of_task(journal.project, task)
        if r.at >= since
    ]


def _view(change: Change) -> dict[str, Any]:
    return {
        "seq": change.seq,
        "at": iso(change.at),
        "task": change.task,
        "what": change.what,
        "by": change.by,
        "why": change.why,
        "iteration": change.iteration or None,
        "commit": change.commit,
        "run": change.run,
        "branch": change.branch,
        "evidence": proven.proof(change.record) if change.record is not None else None,
    }


def _show(change: Change) -> None:
    number = f" · iteration {change.iteration}" if change.iteration else ""
    commit = f" · {change.commit[:10]}" if change.commit else ""
    click.secho(
        f"\n{iso(change.at)}  {words.line(change.task) or '-'}  {words.line(change.what)}",
        bold=True,
    )
    click.echo(f"  by {words.line(change.by)}{number}{commit} · event {change.seq}")
    if change.why:
        click.echo(f"  {words.line(change.why)}")
    for line in proof_lines(proven.proof(change.record)) if change.record is not None else ():
        click.echo(f"    {line}")
