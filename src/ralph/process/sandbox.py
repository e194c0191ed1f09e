"""Whether bubblewrap can put walls around children on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.answer import Ended
from ralph.domain.walls import Walls
from ralph.process import run, tools
from ralph.process.child import Child, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = "bwrap"
TRY_SECONDS = 5.0
BREACH = 3

_ESCAPE = f'touch -c / 2>/dev/null && exit {BREACH}; touch /tmp/x && echo "held"'
"""Changes nothing but a time, if it can: walls that let this pass are none."""


class Tried(Struct, frozen=True):
    """Walls that hold here, or why there are none."""

    walls: Walls | None = None
    why: str = ""


async def try_walls(environ: Mapping[str, str]) -> Tried:
    """Start a child between walls that tries to write outside of them."""
    walls = _plain(environ)
    if walls is None:
        return Tried(why="bubblewrap (bwrap) is not installed")
    finished = await run(
        Child(
            argv=("/bin/sh", "-c", _ESCAPE),
            cwd=Path("/"),
            env=environment(environ),
            walls=walls,
            wall_seconds=TRY_SECONDS,
            grace_seconds=0,
        )
    )
    said = finished.text(200).strip()
    if finished.ended is Ended.TIMEOUT:
        return Tried(why=f"bubblewrap gave no answer within {TRY_SECONDS:g} s")
    if finished.exit_code == BREACH:
        return Tried(why="bubblewrap starts, but what runs in it can write outside")
    if finished.exit_code or said != "held":
        last = said.splitlines()[-1] if said else f"exit code {finished.exit_code}"
        return Tried(why=f"bubblewrap does not work here: {last}")
    return Tried(walls)


def _plain(environ: Mapping[str, str]) -> Walls | None:
    program = shutil.which(PROGRAM, path=environ.get("PATH", os.defpath))
    if program is None:
        return None
    home = Path(os.path.realpath(environ.get("HOME") or "/nonexistent"))
    covered = tuple((os.devnull, one) for one in tools.secrets(home))
    read = tools.shown(home, environ)
    return Walls(os.path.realpath(program), str(home), read=read, shown=covered)
