"""The team's side of `ralph sync`: making its database ready, and what its machines do."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click
import msgspec

from ralph import config
from ralph.domain.moment import iso
from ralph.ui import words
from ralph.ui.cli.common import print_json

if TYPE_CHECKING:
    from ralph.ledger.sync_mirror import Member, Team

_HEAD = ("machine", "project", "repository", "now", "runs", "settled", "cost", "last event")


def set_up(owner_url: str, role: str | None, only_for: str, *, as_json: bool) -> None:
    from ralph.ledger.postgres_setup import ROLE
    from ralph.ledger.postgres_setup import set_up as make_ready

    ready = make_ready(owner_url, role or ROLE, only_for)
    if as_json:
        print_json(msgspec.to_builtins(ready))
        return
    click.echo(f"The database {ready.where} is ready for {ready.role} (schema {ready.version}).")
    if ready.created:
        click.echo("Set this on every machine. The password is shown only now:")
    else:
        click.echo("Set this on every machine, with the password of that login:")
    click.echo(f"  export RALPH_DATABASE_URL={ready.url}")


def show(organisation: str, *, as_json: bool) -> None:
    from ralph.ledger.sync_mirror import FILE, look

    team = look(config.home(os.environ) / FILE, organisation)
    if as_json:
        members = [_view(member) for member in team.members] if team else []
        seen = {"database": team.place, "at": iso(team.at)} if team else {}
        print_json({"organisation": organisation, **seen, "members": members})
        return
    if team is None:
        click.echo(f"Nothing is known about the organisation {organisation} yet. Run `ralph sync`.")
        return
    _table(organisation, team)


def _table(organisation: str, team: Team) -> None:
    now = time.time()
    click.echo(f"{organisation} at {team.place}, as of {_ago(now - team.at)}.")
    if not team.members:
        click.echo("No other machine has sent anything yet.")
        return
    newest_first = sorted(team.members, key=lambda member: -member.newest)
    rows = [_HEAD, *(_row(member, now) for member in newest_first)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _row(member: Member, now: float) -> tuple[str, ...]:
    return (
        words.line(member.host or member.origin[:12], 30),
        words.line(member.name, 30),
        member.root[:10] or "-",
        "running" if member.running else "idle",
        f"{member.runs:,}",
        f"{member.settled:,}",
        f"${member.cost:,.2f}",
        _ago(now - member.newest),
    )


def _view(member: Member) -> dict[str, object]:
    told: dict[str, object] = msgspec.to_builtins(member)
    return told | {"newest": iso(member.newest)}


def _ago(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return "just now"
