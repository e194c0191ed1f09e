"""Retention: what is old and can be made again is removed, work never."""

from __future__ import annotations

import os
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from ralph import config
from ralph.domain.errors import RalphError
from ralph.policy.diagnose import size
from ralph.ui import words
from ralph.ui.cli.common import json_option, print_json
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from ralph.domain.state import Feature, RunState
    from ralph.flows.gc import Thing


@click.command()
@click.option(
    "--days", type=click.FloatRange(min=0), default=30, show_default=True, metavar="N",
    help="Remove only what is older, or unused for longer.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only show what would be removed.")
@json_option
@decides(unless="dry_run")
def gc(days: float, dry_run: bool, as_json: bool) -> None:
    """Remove what Ralph keeps and nobody needs any more, for all repositories.

    That is: clean checkouts not used for a while, also of repositories that are gone; old crash
    reports; old checkpoint and salvage refs whose commits are on a branch. Work that is on no
    branch always stays, and so does the ledger.
    """
    from ralph.flows.gc import look, remove

    gone: list[Thing] = []
    kept: list[Thing] = []
    troubles: list[tuple[Thing, str]] = []
    for thing in look(config.home(os.environ), time.time(), days, _needed):
        if thing.kept:
            kept.append(thing)
            continue
        try:
            if not dry_run:
                remove(thing)
        except RalphError as error:
            troubles.append((thing, error.what))
            continue
        gone.append(thing)
        if not as_json:
            verb = "would go" if dry_run else "removed"
            _say(verb, thing, thing.why)
    freed = sum(thing.bytes for thing in gone)
    if as_json:
        print_json(_view(gone, kept, troubles, freed, dry_run=dry_run))
    else:
        for thing in kept:
            _say("kept", thing, thing.why)
        for thing, why in troubles:
            _say("kept", thing, why)
        _sum_up(freed, anything=bool(gone), dry_run=dry_run)
    if troubles:
        raise click.exceptions.Exit(1)


def _say(verb: str, thing: Thing, why: str) -> None:
    much = size(thing.bytes) if thing.bytes else ""
    click.echo(f"{verb:<8} {much:>8}  {words.line(f'{thing.what}: {why}')}")


def _sum_up(freed: int, *, anything: bool, dry_run: bool) -> None:
    if not anything:
        click.echo("Nothing to remove.")
    elif dry_run:
        click.echo(f"{size(freed)} would be freed. Nothing was removed.")
    else:
        click.echo(f"{size(freed)} freed.")


def _view(
    gone: list[Thing],
    kept: list[Thing],
    troubles: list[tuple[Thing, str]],
    freed: int,
    *,
    dry_run: bool,
) -> dict[str, object]:
    def one(thing: Thing, why: str) -> dict[str, object]:
        refs = [ref for ref, _ in thing.refs]
        paths = list(thing.paths)
        return {"what": thing.what, "why": why, "bytes": thing.bytes, "paths": paths, "refs": refs}

    return {
        "dry_run": dry_run,
        "removed": [one(thing, thing.why) for thing in gone],
        "kept": [one(thing, thing.why) for thing in kept],
        "failed": [one(thing, why) for thing, why in troubles],
        "bytes": freed,
    }


def _needed(project: str) -> frozenset[str] | None:
    """The refs that its tasks and questions speak of; None if this home's ledger does not know."""
    from ralph.domain.settings import LedgerSettings
    from ralph.ledger.choose import open_ledger
    from ralph.ledger.journal import Journal

    with closing(open_ledger(LedgerSettings(), config.home(os.environ))) as ledger:
        state = Journal(ledger, project, "", time.time).state
    if not state.run.id:
        return None
    features: list[RunState | Feature] = [state, *state.features.values()]
    tasks = [task for one in features for task in one.tasks.values()]
    asked = [opened.question for one in features for opened in one.questions.values()]
    return frozenset(
        (
            *(ref for task in tasks for ref in (task.salvage, task.abandoned, task.accepted)),
            *(question.salvage for question in asked),
        )
    )
