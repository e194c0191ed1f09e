"""The ledger's money: by scope, across projects, days, runs and crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.domain.answer import Ended
from ralph.domain.attended import AgentSpent
from ralph.domain.budget import BudgetAction, Scope, TokenRecord
from ralph.domain.decision import Trigger
from ralph.domain.errors import ConfigError
from ralph.domain.event import AgentFinished, IterationStarted, Recorded
from ralph.domain.settings import BudgetSettings, LoopSettings, Settings
from ralph.domain.usage import Usage
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger
from ralph.ledger.spending import TokenEconomicsService
from ralph.policy.price import priced
from ralph.views.economics import NOT_TOLD, By, breakdown, efficiency, group, records, total

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.domain.event import Event

DAY = 86_400.0
TODAY = 20_000 * DAY
OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-5-5"


class Desk:
    """A project of a ledger that others use too, and a clock to set."""

    def __init__(self, ledger: MemoryLedger, name: str = "p", /, **budget: float | str) -> None:
        self.now = TODAY + 100
        settings = Settings(budget=BudgetSettings(**budget), loop=LoopSettings(max_cost=0))  # type: ignore[arg-type]
        self.journal = Journal(ledger.peer(), name, f"run-{name}", lambda: self.now)
        self.service = TokenEconomicsService(self.journal, settings, lambda: self.now)

    def finish(self, cost: float | None, task: str = "A", iteration: int = 1) -> None:
        usage = Usage(100, 10, cost_usd=cost) if cost is not None else Usage()
        self.journal.record(
            AgentFinished(iteration, task, Ended.EXITED, 0, 1, 0, "", usage=usage, agent="x")
        )

    def spend(self, cost: float, task: str = "A", iteration: int = 1) -> None:
        self.service.record_consumption(iteration, task, Usage(10, cost_usd=cost))


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def test_every_project_of_the_ledger_spends_the_organisation_s_money(ledger: MemoryLedger) -> None:
    here = Desk(ledger, "here", organisation=10, day=10, project=10, task=10)
    there = Desk(ledger, "there", organisation=10)
    here.finish(1.0)
    there.finish(2.0)
    context = here.service.context("A")
    spent = [context.spent(scope) for scope in Scope]
    assert spent == [3, 3, 1, 1, 1]
    assert there.service.check_budget().used == 3


def test_a_running_agent_counts_once_and_also_if_it_is_killed(ledger: MemoryLedger) -> None:
    here, there = Desk(ledger, "here", day=10), Desk(ledger, "there")
    there.spend(0.5)
    there.spend(0.75)
    assert here.service.context().day == pytest.approx(0.75)
    there.finish(0.6)
    assert here.service.context().day == pytest.approx(0.6)
    there.spend(0.4, iteration=2)  # and never a word again
    there.finish(1.0, iteration=3)
    assert here.service.context().day == pytest.approx(2.0)
    fresh = Desk(ledger, "fresh", day=10)
    assert fresh.service.context().day == pytest.approx(2.0)


def test_a_judge_is_paid_besides_the_agent(ledger: MemoryLedger) -> None:
    desk = Desk(ledger, day=10)
    desk.spend(0.5)
    desk.service.record_consumption(1, "A", Usage(5, cost_usd=0.25), by="judge")
    desk.finish(0.6)
    assert desk.service.context().day == pytest.approx(0.85)
    rows = {row.key: row.usage.cost_usd for row in desk.service.report(By.AGENT)}
    assert rows == {"x": 0.6, "judge": 0.25}


def test_a_new_day_has_its_own_money(ledger: MemoryLedger) -> None:
    desk = Desk(ledger, day=1)
    desk.now = TODAY - 10
    desk.spend(0.9)
    desk.now = TODAY + 10
    assert desk.service.check_budget().action is BudgetAction.ALLOW
    desk.finish(1.4)
    assert desk.service.context().day == pytest.approx(0.5)
    desk.now += DAY
    assert desk.service.context().day == 0


def test_a_new_period_begins_where_the_settings_say(ledger: MemoryLedger) -> None:
    desk = Desk(ledger, project=10, organisation=10, since="2024-10-04")
    desk.now = TODAY - DAY
    desk.finish(5)
    desk.now = TODAY
    desk.finish(1)
    context = desk.service.context()
    assert (context.project, context.organisation) == (1, 1)
    with pytest.raises(ConfigError, match="is not a date"):
        Desk(ledger, since="yesterday")


def test_a_check_reads_only_what_is_new(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(ledger, day=10)
    asked: list[int] = []
    across = desk.journal.ledger.across

    def watched(kinds: Sequence[str], after: int = 0) -> object:
        asked.append(after)
        return across(kinds, after)

    monkeypatch.setattr(desk.journal.ledger, "across", watched)
    desk.finish(1)
    desk.service.check_budget()
    desk.service.check_budget()
    desk.finish(1, iteration=2)
    assert desk.service.check_budget().used == 2
    assert asked == [0, 1, 1]


def test_nobody_asks_the_ledger_if_there_is_no_shared_budget(ledger: MemoryLedger) -> None:
    desk = Desk(ledger, task=1)
    desk.finish(2)
    assert desk.service.context("A").day == 0
    assert desk.service.check_budget("A").scope is Scope.TASK
    assert [one.task for one in desk.service.tasks_near()] == ["A"]
    assert desk.service.check_each() == ()


def test_a_crossing_is_told_once(ledger: MemoryLedger) -> None:
    desk = Desk(ledger, day=10, when_near="alert_only")

    def news() -> list[tuple[Scope, BudgetAction]]:
        found = desk.service.news(desk.service.check_each())
        return [(one.scope, one.action) for one in found]

    assert news() == []
    desk.finish(8.5)
    assert news() == [(Scope.DAY, BudgetAction.ALERT_ONLY)]
    desk.finish(0.5, iteration=2)
    assert news() == []
    desk.finish(2, iteration=3)
    assert news() == [(Scope.DAY, BudgetAction.DENY)]
    desk.now += DAY
    assert news() == []
    desk.finish(8.5, iteration=4)
    assert news() == [(Scope.DAY, BudgetAction.ALERT_ONLY)]


def test_the_forecast_and_the_report_come_from_the_project_s_own_history(
    ledger: MemoryLedger,
) -> None:
    desk, other = Desk(ledger, day=10), Desk(ledger, "other")
    assert desk.service.forecast_cost(3).note == "no history: a guess"
    desk.finish(1)
    other.finish(9)
    assert [row.key for row in desk.service.report(By.AGENT)] == ["x"]
    assert desk.service.report(By.PROJECT)[0].usage.cost_usd == 1
    every = desk.service.report(By.PROJECT, everywhere=True)
    assert [row.key for row in every] == ["other", "p"]
    assert desk.service.report(By.TASK, since="2099-01-01") == []
    assert desk.service.efficiency().cache_hit_rate == 0


# Aggregation


def record(task: str = "A", **more: object) -> TokenRecord:
    return TokenRecord(TODAY, "p", "r", 1, task, **more)  # type: ignore[arg-type]


def test_a_process_with_two_models_is_in_two_rows_and_counted_once() -> None:
    models = {OPUS: Usage(100, 10, cost_usd=1.0), SONNET: Usage(50, 5, cost_usd=0.5)}
    one = record(usage=Usage(160, 15, cost_usd=1.75), models=models, calls=4, tools={"Bash": 3})
    rows = {row.key: row for row in group([one], By.MODEL)}
    assert {key: row.usage.cost_usd for key, row in rows.items()} == {
        OPUS: 1.0,
        SONNET: 0.5,
        NOT_TOLD: pytest.approx(0.25),
    }
    assert rows[NOT_TOLD].usage.input_tokens == 10
    assert sum(row.agents for row in rows.values()) == 1
    assert sum(row.calls for row in rows.values()) == 4
    assert sum(row.usage.tokens for row in rows.values()) == one.usage.tokens


def test_groups_add_up_and_the_dearest_come_first() -> None:
    found = [
        record("A", usage=Usage(1, cost_usd=1.0)),
        record("B", usage=Usage(2, cost_usd=3.0)),
        record("A", usage=Usage(4, cost_usd=1.5, estimated=True)),
        record("C"),
    ]
    rows = group(found, By.TASK)
    assert [(row.key, row.usage.cost_usd, row.agents) for row in rows] == [
        ("B", 3.0, 1),
        ("A", 2.5, 2),
        ("C", None, 1),
    ]
    assert rows[1].usage.estimated
    assert total(found).without_figures == 1
    assert [row.key for row in group(found, By.DAY)] == ["2024-10-04"]


def test_the_kinds_of_tokens_share_what_was_told() -> None:
    usage = Usage(1_000_000, 100_000, 200_000, 5_000_000, cost_usd=12.0)
    parts = breakdown([record(usage=usage, models={OPUS: usage}), record(usage=Usage(cost_usd=1))])
    assert parts.total == pytest.approx(13)
    assert parts.other == 1
    listed = (4.0, 2.0, 1.0, 1.0)
    found = (parts.input, parts.output, parts.cache_write, parts.cache_read)
    assert found == pytest.approx([12 * one / sum(listed) for one in listed])


def test_efficiency() -> None:
    found = [record(usage=Usage(10, 20, 30, 60, 2.0), calls=4, tools={"Bash": 2, "Read": 1})]
    metrics = efficiency(found, finished_tasks=2)
    assert metrics.tokens_per_tool_call == 40
    assert metrics.tokens_per_call == 30
    assert metrics.cache_hit_rate == 0.6
    assert (metrics.cost_per_call, metrics.cost_per_task) == (0.5, 1)
    assert efficiency([]).cache_hit_rate is None


def test_a_killed_agent_s_last_word_is_its_record() -> None:
    begun = IterationStarted(1, "A", "A", 1, "c", Trigger.INITIAL, "claude")
    events: list[Event] = [
        begun,
        AgentSpent(1, "A", Usage(1)),
        AgentSpent(1, "A", Usage(5, cost_usd=0.5)),
    ]
    recorded = [Recorded(n, TODAY, "p", "r", one) for n, one in enumerate(events)]
    [lost] = records(recorded)
    assert (lost.usage.cost_usd, lost.agent, lost.finished) == (0.5, "claude", False)
    ended = AgentFinished(1, "A", Ended.EXITED, 0, 1, 0, "", usage=Usage(7, cost_usd=0.7))
    [known] = records([*recorded, Recorded(9, TODAY, "p", "r", ended)])
    assert (known.usage.cost_usd, known.finished) == (0.7, True)


def test_tokens_without_a_cost_are_counted_by_the_table() -> None:
    usage = Usage(1_000_000)
    assert priced(usage, {}, SONNET).cost_usd == 2
    assert priced(usage, {OPUS: Usage(500_000), SONNET: Usage(500_000)}, "").cost_usd == 3
    assert priced(usage, {}, "nobody-knows").estimated
    told = Usage(5, cost_usd=0.0)
    assert priced(told, {}, OPUS) is told
    assert priced(Usage(), {}, OPUS).cost_usd is None
