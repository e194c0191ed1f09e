"""Checkpoints: what a fresh agent gets to know of the work so far."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ralph.domain.errors import LedgerError, RalphError
from ralph.domain.moment import iso
from ralph.ledger.checkpoints import CheckpointService
from ralph.policy.checkpoint import Work
from ralph.policy.handoff import continuation_prompt
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, me, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.state import RunState
    from ralph.ledger.checkpoints import StoredCheckpoint
    from ralph.ledger.journal import Journal

SHOWN = 20


@click.group()
def checkpoint() -> None:
    """What a fresh agent starts from: the state of the work so far.

    Every iteration ends with a checkpoint; `create` makes one now.
    """


@contextmanager
def _service() -> Iterator[tuple[CheckpointService, Journal]]:
    journal = wire.project(to_write=False).journal()
    try:
        yield CheckpointService(journal, time.time), journal
    finally:
        journal.close()
        journal.ledger.close()


@checkpoint.command()
@click.option("--note", default="", help="Your reason, for the record.")
@json_option
def create(note: str, as_json: bool) -> None:
    """Make a checkpoint of the last task now."""
    with _service() as (service, journal):
        state = journal.state
        if not state.run.id:
            raise RalphError("Nothing has run here yet.", fix="Start with `ralph run`.")
        journal.run = state.run.id
        made = service.create_checkpoint(_work(state, note))
    if as_json:
        print_json(_view(made, valid=True))
    else:
        click.echo(f"Checkpoint {made.metadata.id}")


def _work(state: RunState, note: str) -> Work:
    known = state.known(state.last_task)
    return Work(
        task=state.last_task,
        iteration=state.iteration,
        attempt=known.attempts,
        agent=state.open_iteration.agent if state.open_iteration else state.run.agent,
        why=f"requested by {me()}" + (f": {note}" if note else ""),
        done=bool(known.commit),
        commit=known.commit,
        salvage=known.salvage,
    )


@checkpoint.command("list")
@click.option(
    "-n",
    "most",
    type=click.IntRange(min=1),
    default=SHOWN,
    show_default=True,
    metavar="N",
    help="How many to list.",
)
@json_option
def show_list(most: int, as_json: bool) -> None:
    """List the newest checkpoints, damaged ones too."""
    with _service() as (service, _):
        found = service.list_checkpoints(most)
    if as_json:
        print_json({"checkpoints": [_row(seen) for seen in found]})
        return
    for seen in found:
        made = seen.checkpoint.metadata
        damaged = "" if seen.valid else "  DAMAGED"
        what = f"{made.task} · iteration {made.iteration} · {seen.checkpoint.state.phase}"
        click.echo(f"{made.id}  {iso(made.at)}  {words.line(what)}{damaged}")
    if not found:
        click.echo("No checkpoint yet. Each iteration ends with one.")


@checkpoint.command()
@click.argument("name", metavar="ID", required=False)
@json_option
def show(name: str | None, as_json: bool) -> None:
    """Show the checkpoint that begins with ID, or the latest."""
    with _service() as (service, _):
        found = service.get_checkpoint(name) if name else service.get_latest_checkpoint()
    if found is None:
        raise LedgerError(
            "There is no valid checkpoint.", fix="Each iteration ends with one: `ralph run`."
        )
    if as_json:
        print_json(_view(found, valid=True))
        return
    made, recovery = found.metadata, found.recovery
    click.secho(f"{words.line(made.task)} · {iso(made.at)}", bold=True)
    click.echo(words.block(continuation_prompt(found)))
    for label, value in (
        ("Last verified commit", recovery.commit),
        ("Return to it", recovery.rollback),
        ("Unfinished work", recovery.salvage),
    ):
        if value:
            click.echo(f"{label}: {words.line(value)}")


@checkpoint.command()
@json_option
def verify(as_json: bool) -> None:
    """Verify every checkpoint, and the ledger's hash chain."""
    with _service() as (service, _):
        every = service.list_checkpoints()
        damaged = service.verify()
    if as_json:
        print_json({"checkpoints": len(every), "damaged": [_row(seen) for seen in damaged]})
    if damaged:
        ids = ", ".join(seen.checkpoint.metadata.id for seen in damaged[:3])
        raise LedgerError(
            f"{count(len(damaged), 'checkpoint')} damaged: {ids}.",
            fix="The latest valid one before them is used. For more, run `ralph audit`.",
        )
    if not as_json:
        click.echo(f"{count(len(every), 'checkpoint')}, all valid; the ledger's chain is intact.")


def _row(seen: StoredCheckpoint) -> dict[str, Any]:
    made = seen.checkpoint.metadata
    return {
        "id": made.id,
        "task": made.task,
        "iteration": made.iteration,
        "attempt": made.attempt,
        "agent": made.agent,
        "at": iso(made.at),
        "phase": seen.checkpoint.state.phase.value,
        "why": made.why,
        "valid": seen.valid,
    }


def _view(checkpoint: Checkpoint, *, valid: bool) -> dict[str, Any]:
    """All of it; fields that have their default are spelled out for programs."""
    return {"valid": valid, **_spelled(checkpoint)}


def _spelled(value: msgspec.Struct) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for name, inner in msgspec.structs.asdict(value).items():
        plain[name] = _spelled(inner) if isinstance(inner, msgspec.Struct) else _plain(inner)
    return plain


def _plain(value: object) -> Any:  # noqa: ANN401 - what JSON can hold
    if isinstance(value, tuple):
        return [_spelled(one) if isinstance(one, msgspec.Struct) else one for one in value]
    return value
