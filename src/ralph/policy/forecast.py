"""What the rest of a plan will cost and how long it will take, from the tasks that are done.

The sum over the tasks that are left is taken as log-normal. Its mean and spread come from the
settled tasks, and it is the wider the fewer there are: few samples say little about the mean, and
large tasks are rare enough to be missing among them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain import event as e
from ralph.domain.budget import BudgetEnd, Forecast, PastTask, Range, Scope
from ralph.domain.task import Status
from ralph.domain.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.domain.budget import BudgetCheckResult
    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState

KINDS = ("AgentFinished", "IterationEnded", "Settled")
"""The events that a history is made from."""
SUBAGENT_TOOLS = frozenset({"Task", "Agent"})
"""By these an agent starts agents of its own."""
DAY = 86_400.0

_KEPT = 60
"""Tasks of the history that count, the newest: agents, models and projects change."""
_GUESS = Range(0.2, 1.0, 5.0)
"""US dollars for a task that nothing is known about."""
_SPREAD, _WEIGHT = 0.6, 1.0
"""How much tasks differ while nothing is known about it, and how many tasks outweigh that."""
_Z = 1.2816
"""The normal distribution's quantile of nine in ten."""
_UPWARDS = 1.2
"""Sums of unequal tasks miss upwards more often; found by simulation, see the tests."""


def left_to_do(plan: Plan, state: RunState) -> int:
    """Tasks that are neither done nor left out."""
    ended = (Status.COMPLETED, Status.SKIPPED)
    left = (task for task in plan.leaves() if task.status not in ended)
    return sum(not state.known(task.id).skipped for task in left)


def past_tasks(events: Iterable[e.Recorded]) -> tuple[PastTask, ...]:
    """The settled tasks in order, each with all its attempts."""
    open_tasks: dict[str, PastTask] = {}
    settled: list[PastTask] = []
    waiting: dict[str, bool] = {}
    for recorded in events:
        match recorded.event:
            case e.AgentFinished() as event:
                known = open_tasks.get(event.task, PastTask(None, 0.0))
                open_tasks[event.task] = _with(known, event)
            case e.Settled() as event:
                waiting[event.task] = True
            case e.IterationEnded() as event:
                known = open_tasks.pop(event.task, PastTask(None, 0.0))
                known = replace(known, seconds=known.seconds + event.seconds)
                if waiting.pop(event.task, False):
                    settled.append(known)
                else:
                    open_tasks[event.task] = known
            case _:
                pass
    return tuple(settled)


def _with(known: PastTask, event: e.AgentFinished) -> PastTask:
    cost = (Usage(cost_usd=known.cost) + event.usage).cost_usd
    return replace(
        known, cost=cost, subagents=known.subagents or not SUBAGENT_TOOLS.isdisjoint(event.tools)
    )


def forecast(
    past: Sequence[PastTask], tasks: int, *, subagents: bool = False, factor: float = 1.0
) -> Forecast:
    """What `tasks` more will take. `subagents`: whether the agents have agents of their own."""
    past = past[-_KEPT:]
    alike = [one for one in past if one.subagents]
    scaled = subagents and not alike
    used = alike if subagents and alike else past
    costs = [one.cost for one in used if one.cost is not None]
    return Forecast(
        tasks,
        len(used),
        cost=_cost(costs, bool(used), tasks, factor if scaled else 1.0),
        seconds=predict([one.seconds for one in used], tasks),
        note=_note(len(used), len(costs), factor if scaled else 1.0),
    )


def _cost(costs: Sequence[float], known: bool, tasks: int, factor: float) -> Range | None:
    if known and not costs:
        return None
    found = predict(costs, tasks) or Range(*(tasks * one for one in _bounds(_GUESS)))
    # what is not known to cost so much more may also cost what it did so far
    return Range(found.low, found.middle * factor, found.high * factor)


def _bounds(found: Range) -> tuple[float, float, float]:
    return (found.low, found.middle, found.high)


def _note(used: int, costs: int, factor: float) -> str:
    if not used:
        note = "no history: a guess"
    elif not costs:
        note = "the agents do not report their cost"
    else:
        note = f"from {used} finished task{'s' * (used != 1)}"
    more = f"; subagents are new here, counted {factor:g} times (budget.multi_agent_factor)"
    return note + (more if factor != 1 else "")


def predict(samples: Sequence[float], count: int) -> Range | None:
    """The sum of `count` more values like these, with the bounds of four cases in five."""
    if not samples or not count:
        return None
    n, mean = len(samples), math.fsum(samples) / len(samples)
    if mean <= 0:
        return Range(0.0, 0.0, 0.0)
    squares = math.fsum((one / mean - 1) ** 2 for one in samples)
    freedom = n - 1 + _WEIGHT
    variance = (_WEIGHT * _SPREAD**2 + squares) / freedom
    sigma = math.sqrt(math.log1p(variance * (1 / count + 1 / n)))
    median = count * mean * math.exp(-(sigma**2) / 2)
    reach = _quantile(freedom) * sigma
    return Range(median * math.exp(-reach), count * mean, median * math.exp(_UPWARDS * reach))


def _quantile(freedom: float) -> float:
    """Of nine in ten, by Student's distribution: the usual expansion of it."""
    first = (_Z**3 + _Z) / 4
    second = (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96
    return _Z + first / freedom + second / freedom**2


def ends(found: Forecast, checks: Iterable[BudgetCheckResult], now: float) -> tuple[BudgetEnd, ...]:
    """Which budgets last for what is left to do, and for how much of it."""
    if found.cost is None or not found.tasks:
        return ()
    left = ((one.scope, max(one.limit - one.used, 0.0)) for one in checks)
    return tuple(
        _end(found, found.cost, scope, money, now)
        for scope, money in left
        if scope not in (None, Scope.TASK)
    )


def _end(found: Forecast, cost: Range, scope: Scope, left: float, now: float) -> BudgetEnd:
    each = cost.middle / found.tasks
    tasks = left / each if each else math.inf
    seconds = tasks * found.seconds.middle / found.tasks if found.seconds else 0.0
    chance = "no" if left >= cost.high else "likely" if left < cost.middle else "perhaps"
    if scope is Scope.DAY and left and seconds > DAY - now % DAY:
        chance = "no"  # a new day comes first
    if chance == "no":
        return BudgetEnd(scope, left, chance)
    return BudgetEnd(scope, left, chance, tasks, seconds)
