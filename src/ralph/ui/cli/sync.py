"""Share what happened with the team's database, and see what the others do."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ralph import config
from ralph.domain.errors import DatabaseAway, NotARepository, RepoError, UsageError
from ralph.ledger.choose import FILE, address
from ralph.policy.backoff import backoff
from ralph.ui.cli.common import json_option

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from ralph.domain.settings import LedgerSettings
    from ralph.ledger.sqlite import SqliteLedger
    from ralph.ledger.sync import Moved
    from ralph.ledger.sync_mirror import Clone, Mirror

LONGEST_WAIT = 60.0
TELL_EVERY = 2.0
"""Seconds between two lines about a long transfer."""


@click.command()
@click.option("--watch", is_flag=True, help="Keep running, and sync again and again.")
@click.option(
    "--every",
    default=5.0,
    type=click.FloatRange(0.1),
    metavar="SECONDS",
    help="With --watch: how often.",
)
@click.option(
    "--status", is_flag=True, help="Show what the other machines are doing; works offline."
)
@click.option("--setup", metavar="OWNER_URL", help="Set up a database, once, as its owner.")
@click.option(
    "--role", metavar="NAME", help="With --setup: the login for Ralph; ralph_app by default."
)
@click.option("--only-for", metavar="ORG", help="With --setup: restrict that login to ORG.")
@json_option
def sync(
    watch: bool,
    every: float,
    status: bool,
    setup: str | None,
    role: str | None,
    only_for: str | None,
    as_json: bool,
) -> None:
    """Send this machine's events to the team's database, and fetch the others'.

    Safe to stop at any moment: nothing is lost or sent twice. Runs never wait for it.
    """
    if sum(map(bool, (watch, status, setup))) > 1:
        raise UsageError(
            "--watch, --status and --setup cannot be combined.", fix="Give one of them."
        )
    if (role or only_for) and not setup:
        raise UsageError(
            "--role and --only-for only apply to --setup.", fix="Add `--setup OWNER_URL`."
        )
    if setup:
        from ralph.ui.cli.team import set_up

        set_up(setup, role, only_for or "", as_json=as_json)
        return
    chosen = _settings()
    if status:
        from ralph.ui.cli.team import show

        show(chosen.organisation, as_json=as_json)
    elif watch:
        _watch(chosen, every, as_json=as_json)
    else:
        with closing(DatabaseLine(chosen, as_json=as_json)) as line:
            _tell(line.go(), line.where, chosen, as_json=as_json)


class DatabaseLine:
    """The open line between this machine and the database."""

    def __init__(self, chosen: LedgerSettings, *, as_json: bool) -> None:
        from ralph.ledger.postgres_server import PostgresServer
        from ralph.ledger.sqlite import SqliteLedger
        from ralph.ledger.sync_mirror import FILE as MIRROR
        from ralph.ledger.sync_mirror import Mirror

        home = config.home(os.environ)
        with ExitStack() as opened:
            self.server = PostgresServer(address(chosen), chosen.organisation)
            opened.callback(self.server.close)
            self.ledger = opened.enter_context(closing(SqliteLedger(home / FILE)))
            self.mirror = opened.enter_context(closing(Mirror(home / MIRROR)))
            self.close = opened.pop_all().close
        self.where = self.server.where
        self._quiet = as_json
        self._told = time.monotonic()

    def go(self) -> Moved:
        from ralph.ledger.sync import sync as even

        team = self.mirror.know(self.server.id, self.server.organisation, self.where)
        names = list(_unnamed(self.ledger, self.mirror, team))
        self._told = time.monotonic()
        return even(
            self.server, self.ledger, self.mirror, names, now=time.time(), told=self._progress
        )

    def _progress(self, moved: Moved) -> None:
        if not self._quiet and time.monotonic() > self._told + TELL_EVERY:
            self._told = time.monotonic()
            click.echo(f"… {_moved(moved)}", err=True)


def _watch(chosen: LedgerSettings, every: float, *, as_json: bool) -> NoReturn:
    """Sync for ever. If the server is away, say so once and wait for it."""
    signal.signal(signal.SIGTERM, _leave)
    failures, line = 0, None
    said = False
    while True:
        try:
            line = line or DatabaseLine(chosen, as_json=as_json)
            moved = line.go()
            if moved.sent or moved.received or moved.restored or failures or not said:
                _tell(moved, line.where, chosen, as_json=as_json)
            said, failures = True, 0
            wait = every
        except DatabaseAway as error:
            if line is not None:
                line.close()
            line, failures = None, failures + 1
            if failures == 1:
                click.echo(f"{error.what} Trying again until it answers.", err=True)
            wait = backoff(failures, cap=LONGEST_WAIT, jitter=random.random())  # noqa: S311 - no secret
        time.sleep(wait)


def _leave(_: int, __: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _settings() -> LedgerSettings:
    """Outside of a repository, those of the environment."""
    from ralph.ui import wire

    try:
        found = wire.project(to_write=False)
    except NotARepository:
        # nobody can accept the file of a folder that is no repository, so it does not count
        return config.load(Path.cwd(), environ=os.environ, file=False).settings.ledger
    found.require("ledger.")
    return found.settings.ledger


def _unnamed(ledger: SqliteLedger, mirror: Mirror, team: int) -> Iterator[Clone]:
    """Projects of this machine that the team's database cannot tell from others yet."""
    from ralph.domain.event import RunStarted
    from ralph.ledger.sync_mirror import Clone
    from ralph.repo.identity import identity

    known = {c.project for c in mirror.clones(team) if c.origin == ledger.origin and c.root}
    for project in ledger.projects():
        runs = ledger.of_kinds(project, ["RunStarted"], 1, newest_first=True)
        for recorded in () if project in known else runs:
            place = recorded.event.workspace if isinstance(recorded.event, RunStarted) else ""
            try:
                found = identity(Path(place))
            except RepoError:
                continue  # it has been moved or removed since
            if found.project == project:
                yield Clone(ledger.origin, project, found.name, found.root)


def _tell(moved: Moved, where: str, chosen: LedgerSettings, *, as_json: bool) -> None:
    if as_json:
        told: dict[str, Any] = {
            "sent": moved.sent,
            "received": moved.received,
            "restored": moved.restored,
            "database": where,
            "organisation": chosen.organisation,
        }
        click.echo(json.dumps(told, ensure_ascii=False))
        return
    if moved.restored:
        click.echo(
            f"{_number(moved.restored)} of this machine had been lost here and were restored."
        )
    click.echo(f"{_moved(moved)}, up to date with {where}.")


def _moved(moved: Moved) -> str:
    return f"{_number(moved.sent)} sent, {moved.received:,} received"


def _number(events: int) -> str:
    return f"{events:,} {'event' if events == 1 else 'events'}"
