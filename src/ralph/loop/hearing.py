"""What a running agent does, on its way into the ledger."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ralph.domain.activity import ActivityKind
from ralph.domain.errors import RalphError
from ralph.domain.event import AgentActed

if TYPE_CHECKING:
    from ralph.domain.activity import Activity
    from ralph.ledger.journal import Journal

KEPT = frozenset({ActivityKind.SAID, ActivityKind.TOOL, ActivityKind.RETRYING, ActivityKind.NUDGED})
"""What people want to see later; the rest is a sign of life."""
MOST = 1000
"""So much of one agent's doings; its log has the rest."""
SECONDS = 1.0
"""How long something may wait before it is written down: others look at the ledger too."""


class Hearing:
    """Listens to one agent while it runs."""

    def __init__(self, journal: Journal, iteration: int) -> None:
        self._journal = journal
        self._iteration = iteration
        self._left = MOST
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, activity: Activity) -> None:
        if activity.kind not in KEPT or not self._left:
            return
        self._left -= 1
        self._journal.later(
            AgentActed(self._iteration, activity.kind, activity.text, activity.tool)
        )
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._write)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _write(self) -> None:
        self._timer = None
        # what cannot be written now is written with the next event, or stops the run there
        with contextlib.suppress(RalphError):
            self._journal.record()
