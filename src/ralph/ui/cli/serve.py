"""The dashboard: a local web page about all repositories of this home."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph import config
from ralph.domain.errors import NotForAgents, RalphError, UsageError
from ralph.ui.announced import announced
from ralph.ui.cli.common import json_option
from ralph.ui.cli.deciding import decides

if TYPE_CHECKING:
    import socket

    from ralph.ui.web.access import Access
    from ralph.ui.web.app import Dashboard

LOOPBACK = "127.0.0.1"
LOCAL = ("localhost", LOOPBACK, "[::1]")
ANY = ("0.0.0.0", "::")  # noqa: S104 - which is refused


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8420, show_default=True, metavar="N",
              help="The port to listen on; 0 for any that is free.")  # fmt: skip
@click.option("--host", default=LOOPBACK, show_default=True, metavar="ADDRESS",
              help="The address to listen on.")  # fmt: skip
@click.option("--beyond-this-machine", "beyond", is_flag=True,
              help="Needed with --host: others may then reach it, and read along.")  # fmt: skip
@click.option("--open-metrics", is_flag=True, help="/metrics needs no token.")
@json_option
@decides()
def serve(port: int, host: str, beyond: bool, open_metrics: bool, as_json: bool) -> None:
    """Show all repositories and runs in a browser, live, and answer questions there.

    The link that it prints has a token, which is a new one for each start.
    """
    _refuse_inside_a_run()
    _check_host(host, beyond=beyond)
    try:
        from ralph.ui.web import app, server
        from ralph.ui.web.access import Access
        from ralph.ui.web.house import House
    except ModuleNotFoundError as error:
        raise RalphError(
            f"The dashboard needs the Python package {error.name}.",
            fix="Install it, in your clone of Ralph: `pip install '.[web]'`.",
        ) from error
    with closing(server.listen(host, port)) as listening:
        access = Access(listening.getsockname()[1])
        chosen = config.load(Path.cwd(), environ=os.environ, file=False).settings.ledger
        house = House(config.home(os.environ), chosen.organisation)
        names = tuple(dict.fromkeys((*LOCAL, _in_address(host).lower())))
        dashboard = app.Dashboard(house, access, names, open_metrics=open_metrics, bug=_told)
        address = f"http://{_in_address(host)}:{access.port}/"
        with announced(config.home(os.environ), address), closing(house):
            _say(address, access, beyond=beyond, as_json=as_json)
            asyncio.run(_serve(listening, dashboard))
    if not as_json:
        click.echo("The dashboard has ended. Runs go on without it.")


async def _serve(listening: socket.socket, dashboard: Dashboard) -> None:
    from ralph.ui.web.server import Server

    loop = asyncio.get_running_loop()

    def leave() -> None:
        loop.call_soon_threadsafe(dashboard.hub.leave)

    await Server(dashboard.app, leave).serve([listening])


def _told(error: Exception, where: str) -> None:
    from ralph.ui.cli.main import bug

    bug(error, ["serve", where])


def _say(address: str, access: Access, *, beyond: bool, as_json: bool) -> None:
    link = f"{address}#token={access.token}"
    if as_json:
        found = {"address": address, "token": access.token, "link": link}
        click.echo(json.dumps(found))  # not masked: the token is what is asked for
        return
    click.secho("Ralph's dashboard", bold=True)
    click.echo(f"  {link}")
    click.echo("  Open this link; its token is a new one for each start. Ctrl-C ends it.")
    if beyond:
        click.secho("  Others can reach it, and it is not encrypted.", fg="yellow")
        click.echo(f"  Safer: ssh -L {access.port}:{LOOPBACK}:{access.port} from over there.")


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _check_host(host: str, *, beyond: bool) -> None:
    if host in ("localhost", LOOPBACK, "::1"):
        return
    if host in ANY:
        raise UsageError(
            f"{host} means every address, and no browser could name it.",
            fix="Give one address of this machine.",
        )
    if not beyond:
        raise UsageError(
            f"With --host {host} other machines can reach the dashboard, unencrypted.",
            fix="Say that you want it with --beyond-this-machine; safer is `ssh -L`.",
        )


def _refuse_inside_a_run() -> None:
    """Also from elsewhere than the repository: it could decide about all of them."""
    from ralph.ledger.choose import FILE
    from ralph.ledger.sqlite import SqliteLedger
    from ralph.process.inside import inside_a_run

    path = config.home(os.environ) / FILE
    if not path.exists():
        return
    with closing(SqliteLedger(path)) as ledger:
        if any(map(inside_a_run, ledger.projects())):
            raise NotForAgents(
                "`ralph serve` is for people, but it was called from inside a run.",
                fix="Agents may use `ralph status`, `logs`, `report` and `lint`.",
            )
