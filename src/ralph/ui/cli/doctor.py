"""Is everything there that a run needs?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.domain.diagnosis import Sign
from ralph.ui import words
from ralph.ui.cli.common import count, json_option, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.diagnosis import Diagnosis

_SIGNS = {Sign.OK: "✓", Sign.NOTE: "!", Sign.PROBLEM: "✗"}
_STYLES = {Sign.OK: "green", Sign.NOTE: "yellow", Sign.PROBLEM: "red"}
_PROBLEM = 1


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Check git, the agents and who pays for them, sandbox, ledger, disk and clock.

    Every problem comes with its fix. Exit 1 if there is one. Works outside a repository too.
    """
    import asyncio

    from ralph.flows.doctor import examine

    found = asyncio.run(examine(Path.cwd(), os.environ))
    problems = sum(one.sign is Sign.PROBLEM for one in found)
    if as_json:
        import msgspec

        print_json({"problems": problems, "diagnoses": msgspec.to_builtins(found)})
    else:
        _show(found, problems)
    return _PROBLEM if problems else 0


def _show(found: Sequence[Diagnosis], problems: int) -> None:
    width = max(len(one.subject) for one in found)
    for one in found:
        sign = click.style(_SIGNS[one.sign], fg=_STYLES[one.sign])
        click.echo(f"{sign} {one.subject:<{width}}  {words.line(one.found)}")
        if one.fix:
            click.echo(f"  {'':<{width}}  → {words.line(one.fix)}")
    notes = sum(one.sign is Sign.NOTE for one in found)
    click.echo(f"{count(problems, 'problem')}, {count(notes, 'note')}.")
