"""Accept what a repository could run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from ralph.domain.errors import UsageError
from ralph.ui import trusting, wire, words
from ralph.ui.cli.common import count, json_option, me, print_json
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    from ralph.flows.trust import Trust


@click.command()
@click.option("--show", is_flag=True, help="Only show what would be accepted.")
@click.option("--revoke", is_flag=True, help="Withdraw what was accepted here.")
@json_option
@decides(unless="show")
def trust(show: bool, revoke: bool, as_json: bool) -> None:
    """Accept what this repository may run: settings, git configuration, files for agents.

    What you accept is recorded outside the repository, by content: after a change you are asked
    again. Nothing is run.
    """
    if show and revoke:
        raise UsageError("--show and --revoke cannot be combined.", fix="Give one of them.")
    known = wire.project(to_write=False).trust()
    forgotten = known.revoke() if revoke else False
    if not show and not revoke:
        known.accept(me())
    if as_json:
        done = {"accepted": not show and not revoke, "revoked": forgotten}
        print_json(view(known) | done)
    elif revoke:
        click.echo("Trust withdrawn." if forgotten else "Nothing was accepted here.")
    elif show:
        _show(known)
    else:
        _say(known)


def view(known: Trust) -> dict[str, Any]:
    new = set(known.new)
    return {
        "root": str(known.root),
        "fingerprint": known.fingerprint,
        "needs_trust": bool(new),
        "given_by_environment": known.is_given(os.environ),
        "powers": [
            {
                "where": one.where,
                "name": one.name,
                "value": one.shown,
                "digest": one.digest,
                "accepted": one not in new,
            }
            for one in known.found
        ],
    }


def _show(known: Trust) -> None:
    if not known.found:
        click.echo("There is nothing here that needs trust.")
        return
    new = set(known.new)
    for one in known.found:
        sign = click.style("!", fg="yellow") if one in new else click.style("✓", fg="green")
        click.echo(f"{sign} {words.line(f'{one.title}: {one.shown}', 1000)}")
    click.echo(f"{count(len(new), 'thing')} not accepted, {len(known.found) - len(new)} accepted.")
    click.echo(f"In CI, RALPH_TRUST={known.fingerprint[:16]} accepts exactly this.")


def _say(known: Trust) -> None:
    if not known.found:
        click.echo("There is nothing here that needs trust.")
        return
    trusting.show(known, most=len(known.found) * 2)
    click.echo(f"Accepted: {count(len(known.found), 'thing')}. {known.path} records it.")
