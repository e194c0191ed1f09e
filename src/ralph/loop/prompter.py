"""The watcher for people: passes on what they want the agent at work to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.attended import Intervened
from ralph.domain.health import InterventionLevel
from ralph.loop.ports import Order

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run


class Prompter:
    """Looks after one agent process. What it cannot be told is left for the next one."""

    def __init__(self, run: Run, iteration: Iteration, line: Line) -> None:
        self._run = run
        self._iteration = iteration
        self._line = line

    def heard(self, activity: Activity, now: float) -> None:
        """What the agent does is of no account here."""

    def look(self, now: float) -> Order | None:  # noqa: ARG002 - a watcher's
        waiting = self._run.state.run.words
        if not waiting or not self._line.can_nudge:
            return None
        word, iteration = waiting[0], self._iteration
        why = f"{word.by} has a word for it"
        self._run.journal.record(
            Intervened(
                iteration.number,
                iteration.task.id,
                InterventionLevel.NUDGE,
                why,
                word.text,
                by=word.by,
            )
        )
        return Order(text=word.text, why=why)
