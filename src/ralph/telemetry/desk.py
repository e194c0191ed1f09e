"""Watches the journal of one run and tells a collector, beside the loop and never in its way."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ralph.domain.errors import ConfigError
from ralph.domain.event import Answered
from ralph.telemetry.target import SETTING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.domain.event import Recorded
    from ralph.domain.state import RunState
    from ralph.telemetry.collector import Collector, Complaints
    from ralph.telemetry.target import Target

FINISH_SECONDS = 2.5
"""How long the end of a run may wait for the collector; what it has not taken then is lost."""


class TelemetryDesk:
    def __init__(
        self,
        target: Target,
        run: str,
        state: Callable[[], RunState],
        tell: Callable[[str], None],
        collector: Collector,
        complaints: Complaints,
    ) -> None:
        from ralph.telemetry.figures import RunFigures
        from ralph.telemetry.spans import RunTrace

        self._target = target
        self._own = run
        self._tell = tell
        self._collector = collector
        self._complaints = complaints
        self._complained = False
        self._trace = RunTrace(collector.tracer, state)
        self._figures = RunFigures(collector.meter, state)

    def __call__(self, recorded: Recorded) -> None:
        # a review or another command may write beside this run; a person's answer belongs to it
        if recorded.run == self._own or isinstance(recorded.event, Answered):
            self._trace(recorded)
            self._figures(recorded)
        self._complain()

    async def finish(self) -> None:
        self._trace.close()
        in_time = await asyncio.to_thread(self._collector.end, FINISH_SECONDS)
        self._complain("" if in_time else "it took too long at the end")

    def _complain(self, late: str = "") -> None:
        """A collector in trouble is said once; the library tries again by itself."""
        why = self._complaints.first or late
        if why and not self._complained:
            self._complained = True
            where = self._target.shown
            self._tell(f"telemetry does not reach {where}: {why}; the run is not affected")


@contextmanager
def desk_for(
    target: Target, run: str, state: Callable[[], RunState], tell: Callable[[str], None]
) -> Iterator[TelemetryDesk]:
    """The desk of a run, if the library is there."""
    try:
        from ralph.telemetry.collector import Collector, Complaints
    except ImportError as error:
        raise ConfigError(
            f"{SETTING} is set, but OpenTelemetry's library is not installed.",
            fix="Install it, in your clone of Ralph: pip install '.[otel]'",
        ) from error
    with Complaints() as complaints:
        try:
            collector = Collector(target, run)
        except (ValueError, RuntimeError) as error:  # the library reads many variables of its own
            what = f"OpenTelemetry cannot use one of its variables: {str(error)[:200]}"
            raise ConfigError(what, fix="See those that begin with OTEL_ in `env`.") from error
        yield TelemetryDesk(target, run, state, tell, collector, complaints)
