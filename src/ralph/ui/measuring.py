"""Tells a collector of spans and metrics of a run, if a person says so."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ralph.loop.run import Run
    from ralph.ui.wire import Project


@asynccontextmanager
async def measuring(found: Project, run: Run, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """As long as the run lasts, and a moment longer: it is the last to go."""
    setting = found.settings.telemetry.otlp
    if not setting:
        yield
        return
    from ralph.telemetry.desk import desk_for
    from ralph.telemetry.target import SETTING, target

    wanted = target(setting, os.environ)
    with desk_for(wanted, run.run_id, lambda: run.state, tell) as desk:
        tell(f"telemetry goes to {wanted.shown} ({SETTING}: {found.loaded.provenance[SETTING]})")
        run.journal.watch(desk)
        try:
            yield
        finally:
            await desk.finish()
