"""What the budgets allow, before an iteration and while it runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ralph.domain.budget import Budget, BudgetAction, BudgetCheckResult, Scope
from ralph.domain.question import Question, QuestionKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.domain.budget import BudgetContext
    from ralph.domain.settings import BudgetSettings, Settings
    from ralph.domain.state import RunState
    from ralph.domain.task import Task

DOUBLINGS = 4
"""How often a throttle's delay doubles on the way from `near` to the limit."""
LEAST = 0.01
"""What an agent may spend at least: less would end it before its first answer."""

_SEVERITY = (
    BudgetAction.ALLOW,
    BudgetAction.ALERT_ONLY,
    BudgetAction.THROTTLE,
    BudgetAction.DENY,
)


def setting_of(scope: Scope) -> str:
    """Where a scope's limit is set."""
    return "loop.max_cost" if scope is Scope.RUN else f"budget.{scope}"


def budgets(settings: Settings) -> tuple[Budget, ...]:
    """Those that have a limit, the widest first."""
    own = settings.budget
    limits = {
        Scope.ORGANISATION: own.organisation,
        Scope.DAY: own.day,
        Scope.PROJECT: own.project,
        Scope.RUN: settings.loop.max_cost,
        Scope.TASK: own.task,
    }
    return tuple(Budget(scope, limit) for scope, limit in limits.items() if limit > 0)


def check_each(
    limits: Iterable[Budget], context: BudgetContext, settings: BudgetSettings
) -> tuple[BudgetCheckResult, ...]:
    """What each budget says."""
    return tuple(_check(one, context, settings) for one in limits)


def check_budget(
    limits: Iterable[Budget], context: BudgetContext, settings: BudgetSettings
) -> BudgetCheckResult:
    """The strictest of them; of equally strict ones the widest scope's, or the longest delay."""
    found = check_each(limits, context, settings)
    if not found:
        return BudgetCheckResult(BudgetAction.ALLOW)
    return max(found, key=lambda one: (_SEVERITY.index(one.action), one.seconds))


def _check(budget: Budget, context: BudgetContext, settings: BudgetSettings) -> BudgetCheckResult:
    used, scope = context.spent(budget.scope), budget.scope
    action = _action(budget, used, settings)
    delay = 0.0
    if action is BudgetAction.THROTTLE:
        delay = delay_of(used / budget.limit, settings.near, settings.throttle_seconds)
    return BudgetCheckResult(
        action,
        "" if action is BudgetAction.ALLOW else _why(budget, used, context),
        scope,
        used,
        budget.limit,
        delay,
        task=context.name if scope is Scope.TASK else "",
        day=context.today if scope is Scope.DAY else "",
    )


def _action(budget: Budget, used: float, settings: BudgetSettings) -> BudgetAction:
    if used >= budget.limit:
        # a run's own limit is where it stops, whatever the other budgets do
        return BudgetAction.DENY if budget.scope is Scope.RUN else settings.when_reached
    if used >= budget.limit * settings.near:
        near = settings.when_near
        return near if near is not BudgetAction.DENY else BudgetAction.ALERT_ONLY
    return BudgetAction.ALLOW


def delay_of(share: float, near: float, first: float) -> float:
    """How long to wait at this share of a budget: it doubles four times on the way to the limit."""
    way = (share - near) / (1 - near) if near < 1 else 1.0
    return first * math.exp2(DOUBLINGS * min(max(way, 0.0), 1.0))


def left_to_spend(
    limits: Iterable[Budget], context: BudgetContext, settings: BudgetSettings
) -> float:
    """US dollars that the next agent may spend before one of its budgets ends; 0 for no limit."""
    ending = (
        one
        for one in limits
        if one.scope is Scope.RUN or settings.when_reached is BudgetAction.DENY
    )
    least = min((one.limit - context.spent(one.scope) for one in ending), default=None)
    return 0.0 if least is None else max(least, LEAST)


def denied(results: Sequence[BudgetCheckResult], *scopes: Scope) -> BudgetCheckResult | None:
    """The first of these scopes whose money is used up."""
    found = (one for one in results if one.action is BudgetAction.DENY)
    return next((one for one in found if one.scope in scopes), None)


def slowest(results: Sequence[BudgetCheckResult]) -> BudgetCheckResult | None:
    """The throttle with the longest delay, if there is one."""
    found = [one for one in results if one.action is BudgetAction.THROTTLE]
    return max(found, key=lambda one: one.seconds) if found else None


def overspent(state: RunState, tasks: Iterable[Task], limit: float) -> Question | None:
    """A question about the first open one of these tasks that has used up its own budget."""
    for task in tasks:
        known = state.known(task.id)
        waits = known.question or known.skipped or known.accepted
        if task.is_open and known.cost >= limit and not waits:
            return _may_it_go_on(state, task.id, limit)
    return None


def _may_it_go_on(state: RunState, name: str, limit: float) -> Question:
    known = state.known(name)
    return Question(
        id=f"Q{state.question_count + 1}",
        task=name,
        kind=QuestionKind.BUDGET,
        summary=f"{name} has spent ${known.cost:.2f} of its budget of ${limit:.2f} (budget.task).",
        context=known.feedback or state.last_why,
        options=("Allow the same amount again and continue its work", "Skip the task"),
        question="May it spend more?",
        iteration=state.iteration,
    )


def _why(budget: Budget, used: float, context: BudgetContext) -> str:
    whose = {
        Scope.ORGANISATION: "all projects together have",
        Scope.DAY: "all projects together have",
        Scope.PROJECT: "this project has",
        Scope.RUN: "this run has",
        Scope.TASK: f"{context.name} has",
    }[budget.scope]
    limit = f"${budget.limit:.2f} ({setting_of(budget.scope)})"
    spent = f"{whose} spent ${used:.2f}{' today' * (budget.scope is Scope.DAY)}"
    if used >= budget.limit:
        return f"{spent}, and the budget is {limit}"
    return f"{spent}, {used / budget.limit:.0%} of the budget of {limit}"
