"""Agents that attack Ralph from outside the plain change."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from ralph import files
from ralph.flows.conformance.attacks import attacks, fight_all
from ralph.ui.cli.common import count
from ralph.ui.cli.conformance import FAILED, in_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.flows.conformance.attacks import Attack, Fought

FAMILY = 12
OUTCOME = 8


def attack(
    names: Sequence[str],
    file: str | None,
    folder: str | None,
    jobs: int,
    *,
    only_list: bool,
    open_: bool,
) -> int:
    chosen = attacks(names)
    width = max(len(one.name) for one in chosen)
    if only_list:
        for one in chosen:
            click.echo(f"{one.name:<{width}}  {one.family:<{FAMILY}}  {one.does}")
        return 0
    click.secho(f"{'attack':<{width}}  {'family':<{FAMILY}}  {'outcome':<{OUTCOME}}", bold=True)
    fought = in_folder(folder, lambda top: _fought(chosen, top, jobs, width, open_=open_))
    if file:
        text = json.dumps([_record(one) for one in fought], indent=2, ensure_ascii=False)
        files.write(Path(file).absolute(), text + "\n")
    won = sum(one.won for one in fought)
    click.echo(f"{count(len(fought), 'attack')}, {won} won.")
    return FAILED if won else 0


def _fought(
    chosen: Sequence[Attack], top: Path, jobs: int, width: int, *, open_: bool
) -> list[Fought]:
    sandbox = "off" if open_ else "require"

    def tell(one: Fought) -> None:
        word = "settled" if one.settled else "lasting" if one.lasting else "nothing"
        shown = click.style(f"{word:<{OUTCOME}}", fg="red" if one.won else "green")
        click.echo(f"{one.attack.name:<{width}}  {one.attack.family:<{FAMILY}}  {shown}")

    work = fight_all(chosen, top, os.environ, sandbox=sandbox, jobs=jobs, tell=tell)
    return asyncio.run(work)


def _record(one: Fought) -> dict[str, object]:
    about = msgspec.to_builtins(one.attack)
    del about["script"]
    told = {"settled": one.settled, "lasting": one.lasting, "seconds": round(one.seconds, 2)}
    return {**about, **told}
