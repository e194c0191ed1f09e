"""Undo: revert, squash, salvage. Nothing is ever thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ralph.domain.errors import RalphError
from ralph.domain.event import Reverted, Squashed
from ralph.domain.moment import iso
from ralph.repo import (
    ahead,
    list_salvage,
    lock,
    queries,
    restore_salvage,
    revert_branch,
)
from ralph.repo import squash as squash_branch
from ralph.repo.commit import message
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, me, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import trusted

if TYPE_CHECKING:
    from collections.abc import Collection

    from ralph.domain.state import RunState
    from ralph.repo import Salvage
    from ralph.ui.wire import Project


@click.command()
@click.option(
    "--iteration", type=int, required=True, metavar="N", help="The iteration to go back to."
)
@decides()
def revert(iteration: int) -> None:
    """Put the branch back to iteration N's commit and reopen the tasks that came after it.

    What came later is kept under refs/ralph/salvage/ and can be restored. Iteration 0 is the commit
    the branch started from.
    """
    found = trusted(wire.project())
    with lock.hold(lock.path_in(found.repo.common_dir)):
        journal = found.journal()
        try:
            journal.run = journal.state.run.id
            target = _commit_of(journal.state, iteration)
            settled = journal.state.settled.items()
            reopened = tuple(dict.fromkeys(task for n, task in settled if n > iteration))
            saved = revert_branch(found.repo, journal.state.run.branch, target, journal.run)
            journal.record(Reverted(iteration, target, saved.ref, reopened, me()))
        finally:
            journal.close()
            journal.ledger.close()
    click.echo(f"The branch is back at iteration {iteration}, commit {target[:10]}.")
    click.echo(
        f"Reopened: {', '.join(reopened) or 'nothing'}. The later work is kept in {saved.ref}"
    )


def _commit_of(state: RunState, iteration: int) -> str:
    if not state.run.branch:
        raise RalphError("Nothing has run here yet.", fix="Start with `ralph run`.")
    if iteration == 0:
        return state.origin
    if iteration not in state.commits:
        known = ", ".join(str(n) for n in list(state.commits)[-5:]) or "none"
        raise RalphError(
            f"Iteration {iteration} has no commit.", fix=f"Iterations with one: {known}."
        )
    return state.commits[iteration]


@click.command()
@click.option("--message", "-m", "text", metavar="TEXT", help="The commit's subject.")
@decides()
def squash(text: str | None) -> None:
    """Squash the commits on Ralph's branch that no other branch has into one.

    The old ones are kept in salvage.
    """
    found = trusted(wire.project())
    with lock.hold(lock.path_in(found.repo.common_dir)):
        journal = found.journal()
        try:
            journal.run = journal.state.run.id
            state = journal.state
            if not state.commits:
                raise RalphError("There is nothing to squash.", fix="Wait until a task is done.")
            new = ahead(found.repo, state.run.branch, state.origin)
            tasks = _settled_in(state, new.commits)
            full = message(
                "feat",
                text or state.run.goal,
                "\n".join(f"- {task}" for task in tasks),
                {"Ralph-Run": state.run.id, "Ralph-Ledger": state.head},
            )
            commit, saved = squash_branch(found.repo, state.run.branch, new.base, full, journal.run)
            journal.record(Squashed(commit, saved.ref, tasks, me()))
        finally:
            journal.close()
            journal.ledger.close()
    click.echo(
        f"Squashed {count(len(tasks), 'task')} into {commit[:10]}. The old commits: {saved.ref}"
    )


def _settled_in(state: RunState, commits: Collection[str]) -> tuple[str, ...]:
    """The tasks of these commits: those that settled after the last commit that is another."""
    before = max((n for n, one in state.commits.items() if one not in commits), default=0)
    return tuple(dict.fromkeys(task for n, task in state.settled.items() if n > before))


@click.group()
def salvage() -> None:
    """Work that Ralph set aside, and how to get it back."""


@salvage.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List everything that is kept, newest first."""
    kept = list_salvage(wire.project(to_write=False).repo)
    if as_json:
        print_json([_view(one) for one in kept])
        return
    if not kept:
        click.echo("Salvage is empty.")
    for one in kept:
        about = words.line(f"{one.task or '-'}  {one.why}")
        click.echo(f"{one.ref}  {iso(one.when)}  {about}")


@salvage.command()
@click.argument("ref")
@json_option
def show(ref: str, as_json: bool) -> None:
    """Show what changed in it."""
    found = wire.project(to_write=False)
    one = _find(found, ref)
    text = queries.show_salvage(found.repo, one.ref)
    if as_json:
        print_json(_view(one) | {"changes": text})
        return
    click.echo(words.block(text))


@salvage.command()
@click.argument("ref")
@decides()
def restore(ref: str) -> None:
    """Put the saved tree into your checkout, file for file. Needs a clean tree."""
    found = trusted(wire.project())
    with lock.hold(lock.path_in(found.repo.common_dir)):
        one = _find(found, ref)
        restore_salvage(found.repo, one.ref)
    click.echo(f"Restored {one.ref} into {found.root}. It is uncommitted; commit what you want.")


def _find(found: Project, given: str) -> Salvage:
    kept = list_salvage(found.repo)
    matches = [one for one in kept if given in (one.ref, one.commit) or one.ref.endswith(given)]
    if len(matches) != 1:
        what = "is not in salvage" if not matches else "matches more than one ref"
        raise RalphError(f"{given} {what}.", fix="List the refs with `ralph salvage list`.")
    return matches[0]


def _view(one: Salvage) -> dict[str, object]:
    return {
        "ref": one.ref,
        "commit": one.commit,
        "when": iso(one.when),
        "why": one.why,
        "task": one.task,
        "iteration": one.iteration,
    }
