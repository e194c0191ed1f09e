"""Watches what a running agent spends, and what others spend of the same money."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ralph.domain.activity import ActivityKind
from ralph.domain.budget import Scope
from ralph.domain.errors import RalphError
from ralph.domain.trouble import TroubleKind
from ralph.loop.ports import Order
from ralph.policy.budget import denied
from ralph.policy.price import priced

if TYPE_CHECKING:
    from ralph.domain.activity import Activity
    from ralph.domain.job import Job
    from ralph.domain.usage import Usage
    from ralph.loop.run import Run

SECONDS = 1.0
"""How often spending is written down, and the ledger is asked about the others."""


class Purse:
    """A watcher: it writes down what the agent uses and ends it when the money is used up."""

    def __init__(self, run: Run, job: Job, model: str = "") -> None:
        self._run = run
        self._job = job
        self._model = model
        self._usage: Usage | None = None
        self._answering = True
        """Its last figures were told on the way: it has not come to its result."""
        self._context = 0.0
        self._written: Usage | None = None
        self._looked = asyncio.get_running_loop().time()

    def heard(self, activity: Activity, now: float) -> None:  # noqa: ARG002 - a watcher's
        if activity.kind is ActivityKind.SPENT and activity.usage is not None:
            self._usage = priced(activity.usage, {}, self._model)
            self._answering = activity.usage.estimated
            self._context = activity.context

    def look(self, now: float) -> Order | None:
        cost = (self._usage and self._usage.cost_usd) or 0.0
        if self._answering and 0 < self._job.budget_usd < cost:
            return _stop(f"It has spent ${cost:.2f}; ${self._job.budget_usd:.2f} was left for it.")
        if now - self._looked < SECONDS:
            return None
        self._looked = now
        self._write()
        return self._look()

    def _write(self) -> None:
        if self._usage is None or self._usage == self._written:
            return
        # what cannot be written now is written a second later, or with the agent's end
        with contextlib.suppress(RalphError):
            job = self._job
            self._run.economics.record_consumption(
                job.iteration, job.task, self._usage, self._context
            )
            self._written = self._usage

    def _look(self) -> Order | None:
        run = self._run
        results = run.economics.check_each(self._job.task)
        for news in run.economics.news(results):
            run.journal.later(news)
        spent = denied(results, *Scope)
        if spent is None or not self._answering:
            return None
        return _stop(f"{spent.why[0].upper()}{spent.why[1:]}.")


def _stop(why: str) -> Order:
    return Order(stop=True, why=why, trouble=TroubleKind.BUDGET)
