"""Whether bubblewrap can put walls around children on this machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.answer import Ended
from ralph.domain.walls import Walls
from ralph.process import family, run, tools
from ralph.process.child import Child, environment
from ralph.process.fence import OLDEST, version

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = "bwrap"
TRY_SECONDS = 5.0
BREACH = 3

_ESCAPE = f'touch -c / 2>/dev/null && exit {BREACH}; touch /tmp/x && echo "held"'
"""Changes nothing but a time, if it can: walls that let this pass are none."""

_LEAP = 'echo out 2>/dev/null >> "$0"; echo in > "$TMPDIR/x" && echo "held"'
"""The same for a fence."""


class Tried(Struct, frozen=True):
    """Walls that hold here, or why there are none, or only a fence."""

    walls: Walls | None = None
    why: str = ""


async def try_walls(environ: Mapping[str, str]) -> Tried:
    """Walls that hold, else a fence that does: each is tried by a child that wants out."""
    tried = await _try_bubblewrap(environ)
    return tried if tried.walls is not None else await _try_fence(environ, tried.why)


async def _try_bubblewrap(environ: Mapping[str, str]) -> Tried:
    program = shutil.which(PROGRAM, path=environ.get("PATH", os.defpath))
    if program is None:
        return Tried(why="bubblewrap (bwrap) is not installed")
    walls = _plain(environ, program)
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


async def _try_fence(environ: Mapping[str, str], why: str) -> Tried:
    """Landlock; `why` says why there is nothing better."""
    if not family.LINUX or version() < OLDEST:
        return Tried(why=why)
    with tempfile.TemporaryDirectory(prefix="ralph-") as folder:
        outside = Path(folder) / "outside"
        outside.touch()
        finished = await run(
            Child(
                argv=("/bin/sh", "-c", _LEAP, str(outside)),
                cwd=Path("/"),
                env=environment(environ),
                walls=_plain(environ, ""),
                wall_seconds=TRY_SECONDS,
                grace_seconds=0,
            )
        )
        held = finished.text(200).strip() == "held" and not outside.stat().st_size
    return Tried(_plain(environ, "") if held else None, why)


def _plain(environ: Mapping[str, str], program: str) -> Walls:
    home = Path(os.path.realpath(environ.get("HOME") or "/nonexistent"))
    covered = tuple((os.devnull, one) for one in tools.secrets(home))
    read = tools.shown(home, environ)
    real = os.path.realpath(program) if program else ""
    return Walls(real, str(home), read=read, shown=covered)
