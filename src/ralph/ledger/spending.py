"""What was spent, by everyone who writes to this ledger, and what may still be."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.attended import AgentSpent, BudgetNoticed
from ralph.domain.budget import BudgetAction, BudgetContext, Scope
from ralph.domain.errors import ConfigError
from ralph.domain.event import AgentFinished
from ralph.domain.moment import day_of
from ralph.policy import budget
from ralph.policy import forecast as forecasting
from ralph.views import economics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ralph.domain.budget import (
        BudgetCheckResult,
        EfficiencyMetrics,
        Forecast,
        PastTask,
        TokenConsumption,
        TokenRecord,
    )
    from ralph.domain.event import Recorded
    from ralph.domain.settings import Settings
    from ralph.domain.usage import Usage
    from ralph.ledger.journal import Journal
    from ralph.views.economics import By

HISTORY = 1000
"""Events that a forecast looks at, the newest."""
RECENT = 5
"""Agents whose tools tell whether the next ones will have subagents."""
_WIDE = frozenset({Scope.ORGANISATION, Scope.DAY, Scope.PROJECT})
"""Scopes that other runs and processes spend from too."""


class TokenEconomicsService:
    """Counts what one project, and all others of its ledger, use; says what the budgets allow."""

    def __init__(
        self, journal: Journal, settings: Settings, clock: Callable[[], float] = time.time
    ) -> None:
        self._journal = journal
        self._settings = settings
        self._clock = clock
        self._budgets = budget.budgets(settings)
        self._shared = any(one.scope in _WIDE for one in self._budgets)
        self._ledger = _Sums(journal.project, _moment(settings.budget.since))
        self._told: set[tuple[object, ...]] = set()

    def record_consumption(
        self, iteration: int, task: str, usage: Usage, context: float = 0.0, *, by: str = ""
    ) -> None:
        """Write down what a running agent has used so far, for others to see.

        `by` names one that has done its part besides the agent of the task.
        """
        self._journal.record(AgentSpent(iteration, task, usage, context, by, ended=bool(by)))

    def context(self, task: str = "") -> BudgetContext:
        """What has been spent, by scope. The ledger is only asked for what came since last time."""
        if self._shared:
            self._ledger.add(self._journal.ledger.across(_Sums.KINDS, self._ledger.seq))
        state, today = self._journal.state, day_of(self._clock())
        return BudgetContext(
            organisation=self._ledger.organisation,
            day=self._ledger.days.get(today, 0.0),
            project=self._ledger.own,
            run=(state.run.usage + state.run.running).cost_usd or 0.0,
            task=state.known(task).cost,
            name=task,
            today=today,
        )

    def check_each(self, task: str = "") -> tuple[BudgetCheckResult, ...]:
        """What each budget says about the next call for this task."""
        limits = self._budgets if task else [b for b in self._budgets if b.scope is not Scope.TASK]
        return budget.check_each(limits, self.context(task), self._settings.budget)

    def tasks_near(self) -> tuple[BudgetCheckResult, ...]:
        """The tasks whose own budget is near its end or used up."""
        names = self._journal.state.tasks if self._settings.budget.task else ()
        found = (self.check_each(name)[-1] for name in names)
        return tuple(one for one in found if one.action is not BudgetAction.ALLOW)

    def check_budget(self, task: str = "") -> BudgetCheckResult:
        """The strictest of them."""
        return budget.check_budget(self._budgets, self.context(task), self._settings.budget)

    def left_to_spend(self, task: str = "") -> float:
        """US dollars that the next agent may spend; 0 for no limit."""
        return budget.left_to_spend(self._budgets, self.context(task), self._settings.budget)

    @property
    def task_budget(self) -> float:
        """US dollars after which a task is parked; 0 for no limit."""
        own = self._settings.budget
        return own.task if own.when_reached is BudgetAction.DENY else 0.0

    def news(self, results: Iterable[BudgetCheckResult]) -> Iterator[BudgetNoticed]:
        """What to report: each crossing once. A throttle is reported when the run waits for it."""
        for one in results:
            reached = one.used >= one.limit
            key = (one.scope, one.action, reached, one.limit, one.task, one.day)
            silent = one.action in (BudgetAction.ALLOW, BudgetAction.THROTTLE)
            if silent or key in self._told:
                continue
            self._told.add(key)
            yield noticed(one, self._journal.state.iteration)

    def forecast_cost(self, tasks: int) -> Forecast:
        """What so many more tasks will take, and which budgets last."""
        found = forecasting.forecast(
            self._past(),
            tasks,
            subagents=self._subagents(),
            factor=self._settings.budget.multi_agent_factor,
        )
        checks = [self._of_next_run(one) for one in self.check_each()]
        return replace(found, ends=forecasting.ends(found, checks, self._clock()))

    def _of_next_run(self, found: BudgetCheckResult) -> BudgetCheckResult:
        """A run that is over leaves its own budget whole to the next one."""
        run = self._journal.state.run
        over = bool(run.ended_at) or self._journal.run not in ("", run.id)
        return replace(found, used=0.0) if over and found.scope is Scope.RUN else found

    def efficiency(self) -> EfficiencyMetrics:
        """How well this project's tokens were used."""
        return economics.efficiency(self.records(), self._journal.state.metrics.successes)

    def records(self, since: str = "", *, everywhere: bool = False) -> list[TokenRecord]:
        """What each agent process used, from a day on; of this project, or of all."""
        ledger, kinds = self._journal.ledger, economics.KINDS
        events = (
            ledger.across(kinds) if everywhere else ledger.of_kinds(self._journal.project, kinds)
        )
        start = _moment(since)
        return [one for one in economics.records(events) if one.at >= start]

    def report(
        self, by: By, since: str = "", *, everywhere: bool = False
    ) -> list[TokenConsumption]:
        return economics.group(self.records(since, everywhere=everywhere), by)

    def _past(self) -> tuple[PastTask, ...]:
        return forecasting.past_tasks(self._journal.newest(forecasting.KINDS, HISTORY))

    def _subagents(self) -> bool:
        allowed = {tool.partition("(")[0] for tool in self._settings.claude.allowed_tools}
        recent = self._journal.newest(("AgentFinished",), RECENT)
        used = {tool for one in recent for tool in getattr(one.event, "tools", ())}
        return not forecasting.SUBAGENT_TOOLS.isdisjoint(allowed | used)


class _Sums:
    """Dollars by scope, kept up event by event."""

    KINDS = ("AgentFinished", "AgentSpent")

    def __init__(self, project: str, since: float) -> None:
        self.seq = 0
        self.organisation = 0.0
        self.own = 0.0
        self.days: dict[str, float] = {}
        self._project = project
        self._since = since
        self._running: dict[tuple[str, str, int], float] = {}
        """What processes that have not ended told last. One that was killed stays, and counts."""

    def add(self, events: Iterable[Recorded]) -> None:
        for recorded in events:
            self.seq = recorded.seq
            event = recorded.event
            if isinstance(event, AgentFinished | AgentSpent):
                self._add(recorded, event)

    def _add(self, recorded: Recorded, event: AgentFinished | AgentSpent) -> None:
        key = (recorded.project, recorded.run, event.iteration)
        cost = event.usage.cost_usd or 0.0
        if isinstance(event, AgentSpent) and event.ended:
            grown = cost
        else:
            grown = cost - self._running.pop(key, 0.0)
            if isinstance(event, AgentSpent):
                self._running[key] = cost
        day = day_of(recorded.at)
        self.days[day] = self.days.get(day, 0.0) + grown
        if recorded.at >= self._since:
            self.organisation += grown
            self.own += grown if recorded.project == self._project else 0.0


def noticed(found: BudgetCheckResult, iteration: int) -> BudgetNoticed:
    return BudgetNoticed(
        found.scope or Scope.RUN,
        found.action,
        found.used,
        found.limit,
        found.why,
        iteration,
        found.task,
        found.seconds,
    )


def _moment(day: str) -> float:
    """When a day begins, in UTC; 0 for none."""
    try:
        return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() if day else 0.0
    except ValueError as error:
        raise ConfigError(f"{day!r} is not a date.", fix="Write it like 2026-11-01.") from error
