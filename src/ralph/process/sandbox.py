"""Whether bubblewrap can put a wall around children on this machine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.domain.answer import Ended
from ralph.process import run
from ralph.process.child import Child, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = "bwrap"
TRY_SECONDS = 1.0
BREACH = 3

_WALL = ("--ro-bind", "/", "/", "--dev", "/dev", "--unshare-pid", "--proc", "/proc")
_ESCAPE = f'touch -c / 2>/dev/null && exit {BREACH}; echo "held"'
"""Changes nothing but a time, if it can: a wall that lets this pass is none."""


async def try_bubblewrap(environ: Mapping[str, str]) -> str:
    """Why it cannot be used here; empty if a child inside could not write to the file system."""
    path = environ.get("PATH", "")
    if shutil.which(PROGRAM, path=path) is None:
        return "bubblewrap (bwrap) is not installed"
    child = Child(
        argv=(PROGRAM, *_WALL, "sh", "-c", _ESCAPE),
        cwd=Path("/"),
        env=environment(environ),
        wall_seconds=TRY_SECONDS,
        grace_seconds=0,
    )
    finished = await run(child)
    said = finished.text(200).strip()
    if finished.ended is Ended.TIMEOUT:
        return f"bubblewrap gave no answer within {TRY_SECONDS:g} s"
    if finished.exit_code == BREACH:
        return "bubblewrap starts, but what runs in it can write outside"
    if finished.exit_code or said != "held":
        last = said.splitlines()[-1] if said else f"exit code {finished.exit_code}"
        return f"bubblewrap does not work here: {last}"
    return ""
