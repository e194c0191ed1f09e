"""The line at the bottom of the terminal of a run: written anew once a second."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ralph.domain.activity import ActivityKind
from ralph.domain.errors import RalphError
from ralph.domain.event import (
    Answered,
    Escalated,
    IterationEnded,
    IterationStarted,
    PlanMarked,
    TaskRetried,
    TaskSkipped,
)
from ralph.domain.state import RunPhase
from ralph.policy.select import parked
from ralph.policy.select import select as choose
from ralph.ui import below, printed, words
from ralph.ui.console import doing_of
from ralph.ui.words import span

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ralph.domain.activity import Activity
    from ralph.domain.event import Recorded
    from ralph.loop.run import Run
    from ralph.ui.console import RunConsole

BEAT_SECONDS = 1.0
"""How often the line at the bottom of the terminal is written anew."""
TOLD = frozenset({ActivityKind.SAID, ActivityKind.TOOL, ActivityKind.RETRYING})
"""What an agent does that says something to people."""
MOVES = (
    *(Answered, Escalated, IterationEnded, IterationStarted),
    *(PlanMarked, TaskRetried, TaskSkipped),
)
"""After these another task may be the next one."""


class Bottom:
    """Listens to a run, and says in one line how it stands."""

    def __init__(self, run: Run, console: RunConsole) -> None:
        self._run = run
        self._console = console
        self._doing = ""
        self._upcoming: str | None = None
        """The next task; None if it has to be looked for again."""

    def __call__(self, recorded: Recorded) -> None:
        if isinstance(recorded.event, IterationStarted):
            self._doing = ""
        if isinstance(recorded.event, MOVES):
            self._upcoming = None

    def acted(self, activity: Activity) -> None:
        if activity.kind in TOLD and activity.text:
            self._doing = doing_of(activity.tool, activity.text)

    def beat(self) -> None:
        state = self._run.state
        if state.run.phase is not None and not state.run.waits:
            self._show(doing=self._last_doing())

    def tick(self, seconds: float) -> None:
        """While it waits: the time that is left."""
        self._show(countdown=f"‖ {span(seconds)} left", doing=self._run.state.run.waits)

    def paused(self, seconds: float) -> None:
        """While a person keeps it waiting."""
        self._console.paused()
        self._show(countdown=f"‖ paused for {span(seconds)}")

    def _show(self, *, doing: str = "", countdown: str = "") -> None:
        out = self._console.out
        if not out.moves:
            return
        now = below.moment(
            self._run.state,
            self._run.clock(),
            done=self._console.done,
            total=self._console.total,
            limit=self._run.settings.loop.max_cost,
            upcoming=self._next(),
            doing=doing,
            countdown=countdown,
        )
        out.live(lambda columns: f"  {below.told(now, columns - 2)}")

    def _last_doing(self) -> str:
        state = self._run.state
        if state.open_iteration is None or state.run.phase is not RunPhase.AGENT:
            return ""
        return self._doing or printed.last_line(self._run.logs(), state.open_iteration.iteration)

    def _next(self) -> str:
        """Not looked for every second: a plan may be long."""
        if self._upcoming is None:
            self._upcoming = "" if self._run.asked.only or self._run.asked.once else self._chosen()
        return self._upcoming

    def _chosen(self) -> str:
        from ralph.loop.planning import read_plan

        state = self._run.state
        at_hand = state.open_iteration.task if state.open_iteration is not None else ""
        try:
            plan = read_plan(self._run)
        except RalphError:
            return ""  # somebody is in the middle of writing it, and the run goes on
        task = choose(plan, parked=parked(state) | {at_hand}, area=state.area)
        return task.id if task is not None else ""


@asynccontextmanager
async def beating(run: Run, bottom: Bottom | None) -> AsyncIterator[None]:
    """The terminal says once a second what goes on, so that nothing is silent for long."""
    if bottom is None:
        yield
        return
    task = asyncio.create_task(_beat(run, bottom))
    try:
        yield
    finally:
        task.cancel()
        words.put("")


async def _beat(run: Run, bottom: Bottom) -> None:
    while True:
        await asyncio.sleep(BEAT_SECONDS)
        if not run.control.asks:
            bottom.beat()
