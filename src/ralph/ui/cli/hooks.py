"""Ralph inside Claude Code: install the hook and the commands, look, take them out."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph import config
from ralph.flows import hooks as flow
from ralph.flows.hooks import HooksPlace, HooksScope
from ralph.ui import wire, words
from ralph.ui.cli.common import count, json_option, print_json
from ralph.ui.cli.deciding import decides
from ralph.ui.trusting import own_edit

if TYPE_CHECKING:
    from ralph.flows.hooks import Done

_user = click.option("--user", is_flag=True, help="For all your projects, not only this one.")


@click.group()
def hooks() -> None:
    """The Stop hook, the commands, the agent and the skills for Claude Code."""


@hooks.command()
@_user
@json_option
@decides()
def install(user: bool, as_json: bool) -> None:
    """Install them in .claude/ here.

    Your other settings stay unchanged, byte for byte.
    """
    place = _place(user=user)
    with own_edit(partial(wire.project, to_write=False)):
        done = flow.install(place, config.home(os.environ))
    if as_json:
        print_json({"settings": str(place.settings), "hook": done.settings, **_listed(done)})
        return
    click.echo(f"The hook is {done.settings}: {words.line(str(place.settings))}")
    if done.made:
        click.echo(f"  {count(len(done.made), 'file')} written to {place.folder}")
    for name in done.kept:
        click.echo(f"  left alone, because it is not Ralph's: {name}")
    click.echo("  Restart Claude Code, then type: /ralph-loop PROMPT --max-iterations 10")


@hooks.command()
@_user
@json_option
@decides()
def uninstall(user: bool, as_json: bool) -> None:
    """Remove what `install` added, and nothing else."""
    place = _place(user=user)
    with own_edit(partial(wire.project, to_write=False)):
        done = flow.uninstall(place, config.home(os.environ))
    if as_json:
        print_json({"settings": str(place.settings), "hook": done.settings, **_listed(done)})
        return
    click.echo(f"The hook was {_OUT[done.settings]}: {words.line(str(place.settings))}")
    for name in done.kept:
        click.echo(f"  left alone, because it was edited: {name}")


_OUT = {
    "restored": "removed, and the file is as it was before",
    "removed": "removed; your later edits are kept",
    "not installed": "not installed",
}


@hooks.command()
@json_option
def status(as_json: bool) -> None:
    """Show where they are installed, and the plugin's path.

    The path is for `claude --plugin-dir`.
    """
    rows = {
        str(place.settings): flow.is_installed(place)
        for place in (_place(user=False), _place(user=True))
    }
    if as_json:
        print_json({"plugin": str(flow.PLUGIN), "installed": rows})
        return
    for path, there in rows.items():
        click.echo(f"{'installed' if there else 'not installed':14} {words.line(path)}")
    click.echo(f"as a plugin    claude --plugin-dir {words.line(str(flow.PLUGIN))}")


def _place(*, user: bool) -> HooksPlace:
    if user:
        own = os.environ.get("CLAUDE_CONFIG_DIR")
        folder = Path(own) if own else Path.home() / ".claude"
        return HooksPlace(folder, HooksScope.USER, sys.executable)
    return HooksPlace(
        wire.project(to_write=False).root / ".claude", HooksScope.PROJECT, sys.executable
    )


def _listed(done: Done) -> dict[str, list[str]]:
    return {"files": list(done.made), "kept": list(done.kept)}
