"""Tokens, budgets and forecasts in words and as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ralph.domain.budget import BudgetAction
from ralph.ledger.spending import TokenEconomicsService
from ralph.policy.budget import setting_of
from ralph.policy.forecast import left_to_do

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.domain.budget import BudgetCheckResult, BudgetEnd, Forecast, Range, TokenConsumption
    from ralph.domain.plan import Plan
    from ralph.domain.settings import Settings
    from ralph.domain.state import RunState
    from ralph.ledger.journal import Journal
    from ralph.loop.run import Run
    from ralph.ui.wire import Project

FIGURES = (
    *("agents", "calls", "tool_calls"),
    *("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens", "total_tokens"),
    *("cost_usd", "estimated", "seconds", "without_figures"),
)
"""What a row tells besides its key, in the order of the columns."""
_SMALL = 0.1


def dollars(amount: float | None, *, estimated: bool = False) -> str:
    """Two digits, more for small sums; `~` before an estimate."""
    if amount is None:
        return "-"
    shown = f"${amount:.4f}" if 0 < amount < _SMALL else f"${amount:,.2f}"
    return f"~{shown}" if estimated else shown


def spell(seconds: float) -> str:
    """A time as people say it of a forecast: not too exactly."""
    minutes = round(seconds / 60)
    if not minutes:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"  # noqa: PLR2004 - an hour


def figures(row: TokenConsumption) -> dict[str, Any]:
    usage = row.usage
    values = (
        *(row.agents, row.calls, row.tool_calls),
        *(usage.input_tokens, usage.output_tokens),
        *(usage.cache_write_tokens, usage.cache_read_tokens, usage.tokens),
        None if usage.cost_usd is None else round(usage.cost_usd, 6),
        *(usage.estimated, round(row.seconds, 1), row.without_figures),
    )
    return dict(zip(FIGURES, values, strict=True))


def budget_view(one: BudgetCheckResult) -> dict[str, Any]:
    return {
        "scope": one.scope,
        "setting": setting_of(one.scope) if one.scope else "",
        "limit": one.limit,
        "used": round(one.used, 6),
        "left": round(max(one.limit - one.used, 0.0), 6),
        "action": one.action,
        "why": one.why,
    }


def forecast_view(found: Forecast) -> dict[str, Any]:
    view: dict[str, Any] = msgspec.to_builtins(found)
    return view


def budget_lines(checks: Sequence[BudgetCheckResult], *, known: bool = True) -> Iterator[str]:
    """How much of each budget is used; that may not be `known`, which is not nothing."""
    for one in checks:
        if one.scope is not None:
            used = f"{dollars(one.used)} of {dollars(one.limit)} ({one.used / one.limit:.0%})"
            if not (known or one.used):
                used = f"unknown of {dollars(one.limit)}"
            action = "" if one.action is BudgetAction.ALLOW else f" · {one.action}"
            yield f"{f'{one.scope} {one.task}'.strip()}: {used}, {setting_of(one.scope)}{action}"


def forecast_lines(found: Forecast) -> Iterator[str]:
    """What is left to spend and to wait for, then the budgets that may not last."""
    parts = []
    if found.cost is not None:
        parts.append(_between(found.cost, dollars))
    if found.seconds is not None:
        parts.append(f"{_between(found.seconds, spell)} of work")
    tasks = f"{found.tasks} task{'s' * (found.tasks != 1)}"
    yield f"{tasks} to go: {', '.join(parts)} · {found.note}" if parts else f"{tasks} to go"
    for one in found.ends:
        if one.chance != "no":
            yield _end(one)


def _between(found: Range, word: Any) -> str:  # noqa: ANN401 - how to write a number
    return f"about {word(found.middle)} ({word(found.low)} to {word(found.high)})"


def _end(one: BudgetEnd) -> str:
    if not one.left:
        return f"{setting_of(one.scope)}: used up"
    time = f", {spell(one.seconds)} of work" if one.seconds else ""
    after = f"after about {one.tasks:.1f} more tasks{time}"
    how = "will likely" if one.chance == "likely" else "may"
    return f"{setting_of(one.scope)}: {dollars(one.left)} left, {how} be used up {after}"


def as_run(settings: Settings, state: RunState) -> Settings:
    """With the limit that the last run was given, which may have been one of its own."""
    own = state.run.max_cost
    return settings if own is None else replace(settings, loop=replace(settings.loop, max_cost=own))


def summary(
    journal: Journal, settings: Settings, plan: Plan | None
) -> tuple[dict[str, Any], list[str]]:
    """Budgets and forecast for the status: as values, and the lines that are worth a look."""
    return summed_up(
        TokenEconomicsService(journal, as_run(settings, journal.state)), journal.state, plan
    )


def summed_up(
    service: TokenEconomicsService, state: RunState, plan: Plan | None
) -> tuple[dict[str, Any], list[str]]:
    checks = (*service.check_each(), *service.tasks_near())
    tasks = left_to_do(plan, state) if plan is not None else 0
    found = service.forecast_cost(tasks) if tasks else None
    values = {
        "budgets": [budget_view(one) for one in checks],
        "forecast": None if found is None else forecast_view(found),
    }
    lines = list(budget_lines([one for one in checks if one.action is not BudgetAction.ALLOW]))
    if found is not None and found.history and found.cost is not None:
        lines += [f"forecast: {line}" for line in forecast_lines(found)]
    return values, lines


def unbounded_cost(found: Project, run: Run) -> Iterator[str]:
    """A cost limit that someone set and that an agent of the chain may not keep."""
    from ralph.agents.accounts import reports_cost
    from ralph.policy.budget import budgets

    given = [one for one in budgets(found.settings) if _is_set(found, setting_of(one.scope))]
    for agent in run.agents if given else ():
        if not reports_cost(agent):
            least = min(one.limit for one in given)
            yield (
                f"the cost limit of ${least:g} may not hold: {agent.name} may not report its cost"
            )


def _is_set(found: Project, key: str) -> bool:
    return found.loaded.provenance.get(key, "default") != "default"
