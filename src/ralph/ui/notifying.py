"""Messages to a person who is away, while a run goes on."""

from __future__ import annotations

import contextlib
import os
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from ralph import config
from ralph.domain.errors import RalphError
from ralph.domain.notify import DeliveryFailed
from ralph.ui import words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from ralph.loop.run import Run


@asynccontextmanager
async def notifying(run: Run, root: Path, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Those who want to hear of this run do. `tell` hears of a channel that fails, once."""
    from ralph.people.notify import channels

    settings = run.settings.notify
    ways = channels(settings, root, os.environ)
    if not ways:
        yield
        return
    from ralph.people.notify.courier import NewsDesk
    from ralph.ui.announced import link
    from ralph.ui.news import NewsReader, letter

    def failed(channel: str, why: str) -> None:
        tell(f"notify: {channel}: {why} (Nothing else changes; try it with `ralph notify test`.)")
        with contextlib.suppress(RalphError):
            run.journal.record(DeliveryFailed(channel, why))

    home = config.home(os.environ)
    reader = NewsReader(root, partial(_standing, run))
    desk = NewsDesk(
        ways,
        settings,
        reader,
        lambda parcel: letter(parcel, root, settings.link or link(home, run.journal.project)),
        lambda question: question in run.state.questions,
        failed,
    )
    run.journal.watch(desk)
    try:
        yield
    finally:
        if (news := reader.broken_off()) is not None:
            desk.put(news)
        await desk.finish()


def _standing(run: Run) -> str:
    """How well the tasks of the plan are proven; nothing, where it cannot be read any more."""
    from ralph.loop.planning import read_plan
    from ralph.policy.select import wished
    from ralph.views import status

    try:
        plan = read_plan(run)
    except RalphError:
        return ""
    rows = status.task_rows(run.state, plan.with_statuses(wished(plan, run.state)))
    return words.standing(status.standing(rows))
