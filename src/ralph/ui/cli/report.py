"""What happened, task by task, and what proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ralph.domain.decision import StopReason
from ralph.domain.errors import RalphError
from ralph.domain.evidence import COVERED
from ralph.ui import money, wire, words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.look import SIGNS, found_plan, level_of, named
from ralph.views import status as views

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 50
"""Iterations that the report lists for people; `--json` has them all."""
SHOWN_TESTS = 5
_MET = {True: "✓", False: "✗", None: "?"}


@click.command()
@click.argument("plan", required=False)
@click.option("--run", "name", metavar="ID", help="An earlier run, by the beginning of its id.")
@click.option("--all", "every_run", is_flag=True, help="All runs of this repository together.")
@json_option
def report(plan: str | None, name: str | None, every_run: bool, as_json: bool) -> None:
    """Show what the last run came to: finished tasks and what proves them, commits, figures.

    Also what is parked or waits, and why.
    """
    from ralph.views import records as recording
    from ralph.views import runs

    if name and every_run:
        raise click.UsageError("--run is one run, --all are all of them.")
    found = wire.project(to_write=False)
    journal = found.journal()
    content = found_plan(found, journal.state, plan)
    events = journal.newest(runs.KINDS)
    chosen = "" if every_run else _chosen(runs.named(events, name or ""), name)
    about = runs.alone(events, chosen) if chosen else None
    every = recording.collect(events).values()
    contents = views.report(journal.state, found.repo.project, content, every, about)
    if every_run:
        contents |= {"run": "", "runs": runs.named(events)}
    spending, lines = money.summary(journal, found.settings, content)
    journal.ledger.close()
    if as_json:
        print_json(contents | spending)
        return
    _show_tasks(contents)
    _show_work(contents)
    _show_follow_ups(contents["follow_ups"])
    _show_figures(contents["metrics"])
    for line in lines:
        click.echo(f"  {line}")


def _chosen(found: list[str], name: str | None) -> str:
    """The run that is meant; the last one if none is named, nothing if there is none yet."""
    if name and len(found) != 1:
        what = f"More than one run begins with {name}" if found else f"There is no run {name}"
        raise RalphError(
            f"{what}.", fix="`ralph report` shows the id of the last one, `--all` all of them."
        )
    return found[-1] if found else ""


def _show_tasks(contents: dict[str, Any]) -> None:
    tasks, unsure = contents["tasks"], contents["not_verified"]
    reason = contents["termination_reason"]
    ending = views.ENDINGS[StopReason(reason)] if reason else contents["state"]
    head = f"{words.line(contents['goal'])} · {ending}"
    click.secho(head if contents["branch"] else "Not started", bold=True)
    _show_run(contents)
    click.secho(f"\n{words.standing(tasks['standing'])}", bold=True)
    click.secho(f"Done: {tasks['done']}/{tasks['total']}", bold=True)
    for row in tasks["completed"]:
        proof = (
            f"{level_of(row)} · {row['commit'][:10]}" if row["commit"] else "according to the plan"
        )
        click.secho(f"  ✓ {named(row)}  ({proof})", fg="green")
        for line in proof_lines(row["proof"]) if row["proof"] else ():
            click.echo(f"      {line}")
    if unsure:
        click.secho("\nNot verified", bold=True)
    for one in unsure:
        criterion = f"{words.line(one['criterion'])}: " if one["criterion"] else ""
        click.echo(f"  ? {words.line(one['task'])}  {criterion}{words.line(one['why'])}")
    if tasks["open"]:
        click.secho("\nNot done", bold=True)
    for row in tasks["open"]:
        reason = words.line(row["why"]) or "waiting for its turn"
        click.echo(f"  {SIGNS[row['status']]} {named(row)}  ({row['status']}: {reason})")


def _show_run(contents: dict[str, Any]) -> None:
    """When it was, what it cost, why it ended, and where its work is."""
    branch = contents["branch"]
    if not branch:
        return
    cost = contents["metrics"]["cost_usd"]
    parts = [f"run {contents['run']}", contents["started_at"]]
    if not contents["run"]:
        parts = [count(len(contents["runs"]), "run")]
    elif contents["completed_at"]:
        parts.append(f"took {words.minute(contents['duration_seconds'])}")
    parts.append("cost unknown" if cost is None else money.dollars(cost))
    click.echo(f"  {' · '.join(parts)}")
    click.echo(f"  branch {branch} · {words.line(contents['why']) or 'no end yet'}")
    if contents["commits"]:
        click.echo(f"  take it over with `git merge {branch}`, from your own branch")
    for one in contents["salvage"]:
        click.echo(f"  kept: {words.line(one['task'])}, iteration {one['iteration']}: {one['ref']}")


def proof_lines(proof: dict[str, Any]) -> Iterator[str]:
    """Each criterion with its evidence, then what the whole change rests on."""
    for one in proof["criteria"]:
        how = words.line(one["how"]) or "a person must check"
        sign = "·" if one["how"] == COVERED else _MET[one["passed"]]
        yield f"{sign} {words.line(one['criterion'])}  ← {how}"
    for check in proof["checks"]:
        ended = "passed" if check["passed"] else f"exited {check['exitCode']}"
        output = f", output {check['outputSha256'][:12]}" if check["outputSha256"] else ""
        yield f"check: {words.line(check['command'])} {ended}{output}"
    if tests := proof["tests_that_show_it"]:
        more = f" and {len(tests) - SHOWN_TESTS} more" if len(tests) > SHOWN_TESTS else ""
        fail = "fails" if len(tests) == 1 else "fail"
        yield f"{fail} without the change: {', '.join(map(words.line, tests[:SHOWN_TESTS]))}{more}"
    for fact in proof["facts"]:
        reason = f" ({words.line(fact['why'])})" if fact["why"] else ""
        yield f"{fact['weight']}: {words.line(fact['text'])}{reason}"
    if proof["accepted_by"]:
        yield f"accepted by {words.line(proof['accepted_by'])}"
    if proof["commit"]:
        files = f" ({count(len(proof['files']), 'file')})" if proof["files"] else ""
        yield f"diff: git diff {proof['base'][:10]} {proof['commit'][:10]}{files}"


def _show_work(contents: dict[str, Any]) -> None:
    if contents["commits"]:
        click.secho("\nCommits", bold=True)
    for commit in contents["commits"]:
        number = commit["iteration"]
        click.echo(f"  {commit['commit'][:10]}  iteration {number}  {commit['task']}")
    if contents["iterations"]:
        click.secho("\nIterations", bold=True)
    for record in contents["iterations"][-SHOWN:]:
        click.echo(f"  {_told(record)}")
    if len(contents["iterations"]) > SHOWN:
        click.echo(f"  (the last {SHOWN} of {len(contents['iterations'])}; `--json` has all)")


def _told(record: dict[str, Any]) -> str:
    """One iteration in a line: what came of it, and what a person said to its question."""
    sign = {"success": "✓", "failed": "✗", "blocked": "?"}.get(record["outcome"], "·")
    answer = words.line(record["answer"])
    more = f"; {record['question']} answered: {answer}" if answer else ""
    why = words.line(record["why"], 120) or "still running"
    return f"{sign} {record['iterationId']:>3}  {record['taskId']}  {why}{more}"


def _show_follow_ups(entries: list[dict[str, Any]]) -> None:
    if entries:
        click.secho("\nFollow-up tasks suggested by agents", bold=True)
    for entry in entries:
        origin = f"{words.line(entry['task'])}, iteration {entry['iteration']}"
        click.echo(f"  · {words.line(entry['title'])}  ({origin})")
        if entry["text"]:
            click.echo(f"    {words.line(entry['text'])}")


def _show_figures(metrics: dict[str, Any]) -> None:
    click.secho("\nHow it went", bold=True)
    click.echo(
        f"  {count(metrics['iterations'], 'iteration')}, {metrics['verified_share']:.0%} ended in "
        f"a verified commit; {metrics['iterations_per_task'] or '-'} per finished task"
    )
    click.echo(
        f"  {count(metrics['failures'], 'failure')} ({metrics['errors']} by the agent itself), "
        f"{count(metrics['rollbacks'], 'rollback')}, {count(metrics['checkpoints'], 'checkpoint')}"
    )
    recovery = metrics["seconds_to_recovery"]
    click.echo(
        f"  time to recovery after a failure: {'-' if recovery is None else f'{recovery} s'}"
    )
    cost = metrics["cost_usd"]
    click.echo(
        f"  cost: {'unknown (the agent does not report it)' if cost is None else f'${cost:.2f}'}"
    )
