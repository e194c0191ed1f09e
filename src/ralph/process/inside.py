"""Whether this process came from a run: what an agent starts may look, but not decide.

The rule: a process is inside a run on a project if the Ralph that holds that project's lock is
among its ancestors, or if one of them was started by a Ralph for that project. A process cannot
change who its ancestors are, nor what they were given, and since Ralph adopts the orphans of its
children, a daemon stays a descendant. Another project is none of the run's business: the checks of
a project that tests Ralph may start Ralphs of their own in throw-away repositories.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph.process import family, table

if TYPE_CHECKING:
    from collections.abc import Iterator


def work_for(project: str) -> None:
    """Mark the children that are started from now on as at work for this project."""
    family.project[0] = project


def inside_a_run(project: str, holder: int = 0) -> bool:
    """Whether we come from a run on this project; `holder` has its lock now, if anyone has."""
    me = os.getpid()
    return any(
        (pid == holder and pid != me) or project == table.variables(pid).get(family.PROJECT)
        for pid in _line(me)
    )


def _line(pid: int) -> Iterator[int]:
    """The process itself, its parent, and so on."""
    seen: set[int] = set()
    while pid and pid not in seen and (found := table.entry(pid)):
        seen.add(pid)
        yield pid
        pid = found.parent
