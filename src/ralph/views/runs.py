"""The runs of a project, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.event import RunStarted
from ralph.views import records
from ralph.views.fold import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.event import Recorded
    from ralph.domain.state import RunState

KINDS = (
    *("RunStarted", "RunEnded", "RolledBack", "CheckpointMade", "AgentSpent"),
    *records.KINDS,
)
"""The events that a report of runs is made from."""


def named(events: Sequence[Recorded], start: str = "") -> list[str]:
    """The runs whose names begin so, oldest first."""
    return [
        one.run for one in events if isinstance(one.event, RunStarted) and one.run.startswith(start)
    ]


def alone(events: Sequence[Recorded], run: str) -> RunState:
    """One run as if there had been no other: what it came to, and its figures."""
    return fold(one for one in events if one.run == run)
