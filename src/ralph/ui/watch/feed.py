"""Reads the ledger again and again, from the process beside the run; it writes nothing."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from ralph.domain.event import EVENTS, AgentActed, IterationStarted, RunStarted
from ralph.domain.state import RunPhase
from ralph.repo import lock
from ralph.ui import below, printed
from ralph.ui.cli import look
from ralph.ui.console import RunConsole, doing_of
from ralph.ui.money import as_run
from ralph.ui.output import Output
from ralph.ui.watch.shown import MOST_LINES, Sighting, StyledLine
from ralph.ui.words import span
from ralph.views.status import task_rows

if TYPE_CHECKING:
    from ralph.domain.event import Recorded
    from ralph.domain.plan import Plan
    from ralph.ui.wire import Project

EARLIER = 500
"""Events from before it was opened that are shown."""
PLAN_SECONDS = 5.0
"""How often the plan is read although nothing has happened: people edit it."""
_KINDS = tuple(name for name in EVENTS if name not in ("AgentSpent", "CheckpointSaved"))


class _KeptLines(Output):
    """The lines of a console, bounded, for somebody who fetches them."""

    def __init__(self) -> None:
        super().__init__(stamps=True, always=True)
        self.kept: deque[StyledLine] = deque(maxlen=MOST_LINES)

    def print(self, text: str = "", style: str = "", end: str = "\n") -> None:  # noqa: ARG002 - lines
        stamp = time.strftime("%H:%M ", time.localtime(self.at or None)) if text else ""
        self.kept.append(StyledLine(text, style, stamp))

    def fetch(self) -> tuple[StyledLine, ...]:
        fetched = tuple(self.kept)
        self.kept.clear()
        return fetched


class Feed:
    """For one thread: a ledger's connection belongs to the one that opened it."""

    def __init__(self, found: Project) -> None:
        self._found = found
        self._journal = found.journal()
        self._lines = _KeptLines()
        self._console = self._fresh()
        self._printed = printed.Printed(found.root / found.settings.logs.dir)
        self._doing = ""
        self._plan: Plan | None = None
        self._rows: tuple[dict[str, Any], ...] = ()
        self._read_at = 0.0
        for recorded in self._journal.newest(_KINDS, EARLIER):
            self._hear(recorded)
        self._journal.watch(self._hear)

    def close(self) -> None:
        self._journal.close()
        self._journal.ledger.close()

    def look(self) -> Sighting:
        state = self._journal.state
        if state.open_iteration is not None:
            for line in self._printed.new(state.open_iteration.iteration):
                self._lines.at = 0
                self._lines.print(f"    {line}", "dim")
                self._doing = line or self._doing
        changed = self._journal.ledger.changed() and bool(self._journal.refresh())
        if changed or not self._read_at or time.monotonic() - self._read_at > PLAN_SECONDS:
            self._read_plan()
        return self._seen()

    def _fresh(self) -> RunConsole:
        """A run is told by a console of its own: it remembers what that run did."""
        return RunConsole(total=0, done=(), asks=False, output=self._lines)

    def _hear(self, recorded: Recorded) -> None:
        event = recorded.event
        if isinstance(event, RunStarted):
            self._console = self._fresh()
        if isinstance(event, IterationStarted):
            self._doing = ""
        elif isinstance(event, AgentActed):
            self._doing = doing_of(event.tool, event.text)
        self._console(recorded)

    def _read_plan(self) -> None:
        self._read_at = time.monotonic()
        state = self._journal.state
        self._plan = look.found_plan(self._found, state, None)
        self._rows = tuple(task_rows(state, self._plan)) if self._plan is not None else ()

    def _seen(self) -> Sighting:
        state = self._journal.state
        holder = lock.holder(self._found.repo.common_dir)
        opened = state.open_iteration if holder else None
        return Sighting(
            headline=look.headline(state, look.counted(self._rows), holder.pid if holder else None),
            moment=self._moment(alive=holder is not None),
            rows=self._rows,
            questions=tuple(one.question for one in state.questions.values()),
            new=self._lines.fetch(),
            at_hand=opened.task if opened is not None else "",
            seq=state.seq,
        )

    def _moment(self, *, alive: bool) -> below.Moment:
        state, now = self._journal.state, time.time()
        run = state.run
        at_hand = state.open_iteration.task if state.open_iteration is not None else ""
        countdown, doing = "", self._doing if run.phase is RunPhase.AGENT else ""
        if not alive:
            countdown, doing = "no loop is at work", ""
        elif run.waits:
            countdown, doing = "‖ waiting", run.waits
        elif run.paused and not at_hand:
            countdown = f"‖ paused for {span(max(0.0, now - run.paused_at))}"
        upcoming = (
            look.upcoming_row(self._plan, state, list(self._rows), at_hand) if alive else None
        )
        return below.moment(
            state,
            now,
            done=sum(row["status"] == "done" for row in self._rows),
            total=len(self._rows),
            limit=as_run(self._found.settings, state).loop.max_cost,
            upcoming=upcoming["id"] if upcoming else "",
            doing=doing,
            countdown=countdown,
        )
