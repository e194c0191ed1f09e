"""What several commands share."""

from __future__ import annotations

import getpass
import json
import os

import click

from ralph import masking

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
