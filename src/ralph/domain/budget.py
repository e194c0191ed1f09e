"""Money and tokens: what was used, what may be used, what that allows."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from ralph.domain.usage import Usage


class BudgetAction(StrEnum):
    """What a budget says about the next call."""

    ALLOW = "allow"
    THROTTLE = "throttle"
    """Go on, but slower."""
    DENY = "deny"
    ALERT_ONLY = "alert_only"
    """Say so and continue."""


class Scope(StrEnum):
    """Whose money it is, the widest first."""

    ORGANISATION = "organisation"
    DAY = "day"
    PROJECT = "project"
    RUN = "run"
    TASK = "task"


class Budget(Struct, frozen=True):
    """What may be spent, and by whom."""

    scope: Scope
    limit: float
    """US dollars."""


class BudgetContext(Struct, frozen=True):
    """What has been spent of each scope's money, running agents included; US dollars."""

    organisation: float = 0
    day: float = 0
    project: float = 0
    run: float = 0
    task: float = 0
    name: str = ""
    """Which task `task` is about."""
    today: str = ""
    """Which day `day` is about."""

    def spent(self, scope: Scope) -> float:
        spent: float = getattr(self, scope.value)
        return spent


class BudgetCheckResult(Struct, frozen=True):
    """What may be done about the next call."""

    action: BudgetAction
    why: str = ""
    scope: Scope | None = None
    used: float = 0
    limit: float = 0
    seconds: float = 0
    """With THROTTLE: how long to wait first."""
    task: str = ""
    """With a task's budget: which task."""
    day: str = ""
    """With a day's budget: which day."""


class TokenRecord(Struct, frozen=True):
    """What one agent process used."""

    at: float
    project: str
    run: str
    iteration: int
    task: str
    agent: str = ""
    usage: Usage = field(default_factory=Usage)
    models: dict[str, Usage] = {}
    calls: int = 0
    """Answers it got from its model."""
    tools: dict[str, int] = {}
    seconds: float = 0
    finished: bool = True
    """False for one that is at work, or was killed together with Ralph."""
    prefix_hash: str = ""
    """Of the part of its prompt that is the same for every task."""


class TokenConsumption(Struct, frozen=True):
    """What a group of processes used together."""

    key: str
    usage: Usage = field(default_factory=Usage)
    agents: int = 0
    """Processes."""
    calls: int = 0
    tool_calls: int = 0
    seconds: float = 0
    without_figures: int = 0
    """Processes that told neither tokens nor cost."""


class CostBreakdown(Struct, frozen=True):
    """US dollars by kind of token; what the agents told, shared out by list prices."""

    input: float = 0
    output: float = 0
    cache_write: float = 0
    cache_read: float = 0
    other: float = 0
    """Told without tokens."""

    @property
    def total(self) -> float:
        return self.input + self.output + self.cache_write + self.cache_read + self.other


class EfficiencyMetrics(Struct, frozen=True):
    """None where there is nothing to divide by."""

    tokens_per_tool_call: float | None = None
    tokens_per_call: float | None = None
    cache_hit_rate: float | None = None
    """The share of what the model read that came from its cache."""
    cost_per_call: float | None = None
    cost_per_task: float | None = None
    """All that was spent, for each finished task."""
    prefixes: int = 0
    """How many beginnings the prompts had: with each of them a model's cache starts anew."""


class PastTask(Struct, frozen=True):
    """A settled task, with all its attempts."""

    cost: float | None
    """US dollars; None if no agent told."""
    seconds: float
    subagents: bool = False
    """Whether its agents had agents of their own."""


class Range(Struct, frozen=True):
    """An expectation, and the bounds of four cases in five."""

    low: float
    middle: float
    high: float


class BudgetEnd(Struct, frozen=True):
    """Whether a budget lasts for what is left to do."""

    scope: Scope
    left: float
    """US dollars."""
    chance: str
    """`no`, `perhaps` or `likely`: whether it will be used up first."""
    tasks: float = 0
    """After so many tasks, by the middle of the range."""
    seconds: float = 0
    """After so much work, by the middle of the range."""


class Forecast(Struct, frozen=True):
    """What is still to be spent on a plan."""

    tasks: int
    """Left to do; one under way counts in full."""
    history: int
    """Settled tasks that it rests on."""
    cost: Range | None = None
    """US dollars; None if the agents do not tell theirs."""
    seconds: Range | None = None
    """Of work; None without any history."""
    note: str = ""
    """How far it can be trusted."""
    ends: tuple[BudgetEnd, ...] = ()
