"""What several commands share."""

from __future__ import annotations

import getpass
import json
import os
from functools import partial
from typing import TYPE_CHECKING

import click

from ralph import masking
from ralph.domain.errors import ConfigError

if TYPE_CHECKING:
    from ralph.ui.wire import Project

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def print_json(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # half a character, which an agent's output may hold, is written as JSON spells it
    click.echo(masking.body(text.encode("utf-8", "backslashreplace")).decode())


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def me() -> str:
    """Who sits at this keyboard, for the ledger."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"uid {os.getuid()}"


def to_steer() -> Project:
    """For people who steer a run: it goes on with the settings that it began with, and a mistake
    that was made in ralph.yaml since must not keep them from stopping it.
    """
    from ralph.ui import wire  # not every command looks at a repository

    try:
        return wire.project(to_write=False)
    except ConfigError as error:
        found = wire.opened({}, to_write=False, file=False)
        masking.use(partial(wire.masker, found))
        click.echo(f"! {error.what} ralph.yaml is left out here.", err=True)
        return found
