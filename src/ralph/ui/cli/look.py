"""What is going on and what happened: status, logs, report, audit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from ralph.domain.errors import PlanError, RalphError
from ralph.policy import status as views
from ralph.repo import lock, queries
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState
    from ralph.ledger.journal import Journal
    from ralph.ui.wire import Project

_STYLES = {"done": "green", "ready": "blue", "parked": "magenta", "skipped": "yellow"}
_SIGNS = {"done": "✓", "ready": "·", "parked": "?", "skipped": "-", "waiting": " "}
FOLLOW_SECONDS = 0.5
SHOWN = 50
"""Iterations that the report lists for people; `--json` has them all."""
PIECE = 1 << 16
"""Characters of a log that are read at a time, if a line is longer."""


@click.command()
@click.argument("plan", required=False)
@json_option
def status(plan: str | None, as_json: bool) -> None:
    """Counts, the next task, the last outcome, and whether a loop is running."""
    found = wire.project(to_write=False)
    journal = found.journal()
    state = journal.state
    content = _plan(found, state, plan)
    rows = views.task_rows(state, content) if content else []
    counts = {name: sum(r["status"] == name for r in rows) for name in _SIGNS}
    holder = lock.holder(found.repo.common_dir)
    upcoming = next((row for row in rows if row["status"] == "ready"), None)
    journal.close()
    journal.ledger.close()
    if as_json:
        summary = views.loop_status(state, found.repo.project, [], found.settings)
        del summary["iterations"]
        running = holder.pid if holder else None
        more = {"running_pid": running, "counts": counts, "next": upcoming, "tasks": rows}
        print_json(summary | more)
        return
    _show_status(state, rows, counts, upcoming, holder.pid if holder else None)


def _show_status(
    state: RunState,
    rows: list[dict[str, Any]],
    counts: dict[str, int],
    upcoming: dict[str, Any] | None,
    pid: int | None,
) -> None:
    run = state.run
    doing = f"running (pid {pid})" if pid else _at_rest(state)
    click.secho(f"{words.line(run.goal) or 'No run yet'} · {doing}", bold=True)
    click.echo(f"  {counts['done']}/{len(rows)} complete ({len(rows) - counts['done']} remaining)")
    for row in rows:
        line = f"  {_SIGNS[row['status']]} {_named(row)}"
        detail = row["commit"][:10] or words.line(row["why"])
        click.secho(f"{line}  ({detail})" if detail else line, fg=_STYLES.get(row["status"]))
    if upcoming:
        click.echo(f"  next: {upcoming['id']}")
    if state.last_outcome:
        why = words.line(state.last_why)
        click.echo(f"  last iteration {state.iteration}: {state.last_outcome}: {why}")
        click.echo(f"  its log: `ralph logs --iteration {state.iteration}`")
    if state.questions:
        waiting = count(len(state.questions), "open question")
        click.secho(f"  {waiting}: `ralph inbox`", fg="magenta")


def _named(row: dict[str, Any]) -> str:
    return f"{words.line(row['id'])}  {words.line(row['title'])}"


def _at_rest(state: RunState) -> str:
    """No process works here, so a run that has no end was killed."""
    killed = bool(state.run.id) and not state.run.ended_at
    return "interrupted: `ralph run` goes on" if killed else views.loop_state(state).value


@click.command()
@click.option("--iteration", type=int, metavar="N", help="Which one; the newest by default.")
@click.option("--prompt", is_flag=True, help="Show the prompt the agent got.")
@click.option("--follow", "-f", is_flag=True, help="Go on as it grows.")
@json_option
def logs(iteration: int | None, prompt: bool, follow: bool, as_json: bool) -> None:
    """What the agent and the checks of one iteration printed."""
    from ralph.policy import records as recording

    found = wire.project(to_write=False)
    journal = found.journal()
    number = iteration or journal.state.iteration
    record = recording.collect(journal.ledger.of_iteration(journal.project, number)).get(number)
    journal.ledger.close()
    if record is None:
        raise RalphError(
            f"There is no iteration {number}." if number else "Nothing has run here yet.",
            fix="`ralph status` says what the last one was.",
        )
    if as_json:
        print_json(views.record_view(record))
        return
    folder = found.root / found.settings.logs.dir
    text = folder / f"iteration-{number}.txt"
    if prompt:
        text = found.root / ".ralph" / "prompts" / f"iteration-{number}.md"
    if follow:
        _follow(text)
    ended = words.line(f"{record.outcome or 'running'} {record.why}")
    click.echo(f"# iteration {number} · {words.line(record.task)} · {ended}")
    _dump(text)
    retries = text.parent.glob(f"{text.stem}-r*{text.suffix}")
    checks = () if prompt else folder.glob(f"iteration-{number}-*.log")
    for more in (*sorted(retries), *sorted(checks)):
        click.echo(f"# {more.name}")
        _dump(more)


def _dump(path: Path) -> None:
    if not path.is_file():
        click.echo(f"({path} is gone: logs are kept for `logs.keep_iterations` iterations)")
        return
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while piece := file.readline(PIECE):
            click.echo(words.block(piece), nl=False)
    click.echo()


def _follow(path: Path) -> None:
    """Print what is added, until Ctrl-C."""
    while not path.is_file():
        time.sleep(FOLLOW_SECONDS)
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while True:
            piece = file.readline(PIECE)
            if piece:
                click.echo(words.block(piece), nl=False)
            else:
                time.sleep(FOLLOW_SECONDS)


@click.command()
@click.argument("plan", required=False)
@json_option
def report(plan: str | None, as_json: bool) -> None:
    """Commits, finished tasks, what is parked or blocked and why, and how it went."""
    from ralph.policy import records as recording

    found = wire.project(to_write=False)
    journal = found.journal()
    content = _plan(found, journal.state, plan)
    every = recording.collect(journal.newest(recording.KINDS))
    contents = views.report(journal.state, found.repo.project, content, every.values())
    journal.ledger.close()
    if as_json:
        print_json(contents)
        return
    _show_report(contents)


def _told(record: dict[str, Any]) -> str:
    """One iteration in a line: what came of it, and what a person said to its question."""
    sign = {"success": "✓", "failed": "✗", "blocked": "?"}.get(record["outcome"], "·")
    answer = words.line(record["answer"])
    more = f"; {record['question']} answered: {answer}" if answer else ""
    why = words.line(record["why"], 120) or "still running"
    return f"{sign} {record['iterationId']:>3}  {record['taskId']}  {why}{more}"


def _show_report(contents: dict[str, Any]) -> None:
    tasks, metrics = contents["tasks"], contents["metrics"]
    click.secho(f"{words.line(contents['goal']) or 'No run yet'} · {contents['state']}", bold=True)
    click.echo(f"  branch {contents['branch'] or '-'} · {words.line(contents['why'])}")
    click.secho(f"\nDone: {tasks['done']}/{tasks['total']}", bold=True)
    for row in tasks["completed"]:
        proof = f"{row['level']} · {row['commit'][:10]}" if row["commit"] else "by the plan"
        click.secho(f"  ✓ {_named(row)}  ({proof})", fg="green")
    if tasks["open"]:
        click.secho("\nNot done", bold=True)
    for row in tasks["open"]:
        reason = words.line(row["why"]) or "nothing stands in its way"
        click.echo(f"  {_SIGNS[row['status']]} {_named(row)}  ({row['status']}: {reason})")
    if contents["commits"]:
        click.secho("\nCommits", bold=True)
    for commit in contents["commits"]:
        number = commit["iteration"]
        click.echo(f"  {commit['commit'][:10]}  iteration {number}  {commit['task']}")
    if contents["iterations"]:
        click.secho("\nIterations", bold=True)
    for record in contents["iterations"][-SHOWN:]:
        click.echo(f"  {_told(record)}")
    click.secho("\nHow it went", bold=True)
    click.echo(
        f"  {count(metrics['iterations'], 'iteration')}, {metrics['verified_share']:.0%} of them a "
        f"verified commit; {metrics['iterations_per_task'] or '-'} per finished task"
    )
    click.echo(
        f"  {count(metrics['failures'], 'failure')} ({metrics['errors']} of the agent itself), "
        f"{count(metrics['rollbacks'], 'rollback')}, {count(metrics['checkpoints'], 'checkpoint')}"
    )
    recovery = metrics["seconds_to_recovery"]
    click.echo(
        f"  time to recovery after a failure: {'-' if recovery is None else f'{recovery} s'}"
    )
    cost = metrics["cost_usd"]
    click.echo(f"  cost: {'unknown (the agent does not say)' if cost is None else f'${cost:.2f}'}")


@click.command()
@click.option("--task", "task_id", metavar="ID", help="Only what happened to this task.")
@json_option
def audit(task_id: str | None, as_json: bool) -> None:
    """Prove the ledger's hash chain, and that every commit of Ralph's names a place in it."""
    found = wire.project(to_write=False)
    journal = found.journal()
    count = journal.ledger.verify()
    missing = _unknown_heads(found, journal)
    entries = [
        {"seq": r.seq, "at": views.iso(r.at), "event": type(r.event).__name__, "run": r.run}
        for r in (journal.ledger.of_task(journal.project, task_id) if task_id else ())
    ]
    journal.ledger.close()
    if missing:
        raise RalphError(
            f"{len(missing)} commit(s) name a place that this ledger does not have: "
            f"{missing[0][:10]}.",
            fix="The ledger was replaced or rewritten, or the commits come from another machine.",
        )
    if as_json:
        print_json({"events": count, "chain": "intact", "task": task_id, "entries": entries})
        return
    click.echo(f"{count} events, the chain is intact, every commit of Ralph's is in it.")
    for entry in entries:
        click.echo(f"  {entry['at']}  {entry['seq']:>6}  {entry['event']}")


def _unknown_heads(found: Project, journal: Journal) -> list[str]:
    branch = journal.state.run.branch
    if not branch:
        return []
    return [
        commit
        for commit, head in queries.ledger_trailers(found.repo, branch)
        if not journal.ledger.contains(head)
    ]


def _plan(found: Project, state: RunState, given: str | None) -> Plan | None:
    """The plan as the last run left it; none is fine for commands that only look."""
    try:
        return found.read_plan(given, state)
    except PlanError:
        if given:
            raise
        return None
