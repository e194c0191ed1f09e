"""The run on a full screen."""

from __future__ import annotations

import os
import sys

import click

from ralph.domain.errors import RalphError
from ralph.ui import wire
from ralph.ui.cli.common import me
from ralph.ui.cli.deciding import decides


@click.command()
@decides()
def watch() -> None:
    """Watch the run on a full screen, from another terminal, and steer it with keys.

    Tasks, what the agent does, what proves a task, its difference, and questions to answer. `?`
    tells the keys, `q` leaves: the run goes on. It also waits for a run that is yet to begin.
    """
    _require_terminal()
    _require_extra()
    from ralph.ui.watch.app import FullScreen

    found = wire.project(to_write=False)
    found.require("ledger.")
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)  # of the shell that exported them, and not of this terminal
    app = FullScreen(found, me())
    app.run()
    if app.fault is not None:
        raise app.fault


def _require_terminal() -> None:
    moves = os.environ.get("TERM", "dumb") != "dumb"
    if not (moves and sys.stdin.isatty() and sys.stdout.isatty()):
        raise RalphError(
            "`ralph watch` needs a terminal that it can draw on.",
            fix="Elsewhere use `ralph status`, or `ralph logs --follow`.",
        )


def _require_extra() -> None:
    from importlib.util import find_spec

    if find_spec("textual") is None:
        raise RalphError(
            "`ralph watch` draws with Textual, which is not installed.",
            fix="Install it, in your clone of Ralph: pip install '.[tui]'",
        )
