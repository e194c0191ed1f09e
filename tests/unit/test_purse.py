"""The watcher of what a running agent spends."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.attended import AgentSpent
from ralph.domain.errors import StorageError
from ralph.domain.job import Job
from ralph.domain.settings import BudgetSettings, LoopSettings, Settings
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.ledger.journal import Journal
from ralph.ledger.memory import MemoryLedger
from ralph.ledger.spending import TokenEconomicsService
from ralph.loop.running import Purse

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from ralph.loop.run import Run

NOW = 1_000_000.0


class Bench:
    """A purse at work, and the ledger it shares with others."""

    def __init__(self, budget_usd: float = 0, **budget: float) -> None:
        self.ledger = MemoryLedger()
        settings = Settings(budget=BudgetSettings(**budget), loop=LoopSettings(max_cost=0))  # type: ignore[arg-type]
        self.journal = Journal(self.ledger.peer(), "p", "r", lambda: NOW)
        service = TokenEconomicsService(self.journal, settings, lambda: NOW)
        run = SimpleNamespace(journal=self.journal, economics=service)
        job = Job("", "", "", "A", 1, 1, "r", "", 0, 0, 0, budget_usd=budget_usd)
        self.start = asyncio.get_running_loop().time()
        self.purse = Purse(cast("Run", run), job)

    def spend(self, cost: float, *, estimated: bool = True) -> None:
        usage = Usage(10, cost_usd=cost, estimated=estimated)
        self.purse.heard(Activity(ActivityKind.SPENT, usage=usage, context=0.5), self.start)

    def look(self, after: float) -> Any:
        return self.purse.look(self.start + after)

    def others_spend(self, cost: float) -> None:
        other = Journal(self.ledger.peer(), "q", "s", lambda: NOW)
        other.record(AgentSpent(1, "B", Usage(1, cost_usd=cost)))

    def told(self) -> list[float | None]:
        found = self.ledger.peer().of_kinds("p", ("AgentSpent",))
        return [cast("AgentSpent", one.event).usage.cost_usd for one in found]


def on_a_bench(test: Callable[[Bench], None], budget_usd: float = 0, **budget: float) -> None:
    async def go() -> None:
        test(Bench(budget_usd, **budget))

    asyncio.run(go())


def test_it_writes_at_most_once_a_second_and_only_what_has_grown() -> None:
    def test(bench: Bench) -> None:
        bench.spend(0.1)
        assert bench.look(0.5) is None
        assert bench.told() == []
        bench.spend(0.2)
        bench.look(1.2)
        bench.spend(0.3)
        bench.look(1.9)
        bench.look(2.3)
        bench.look(3.4)
        assert bench.told() == [0.2, 0.3]

    on_a_bench(test)


def test_an_agent_over_its_budget_is_ended_at_once() -> None:
    def test(bench: Bench) -> None:
        bench.spend(1.0)
        assert bench.look(0.1) is None
        bench.spend(1.25)
        order = bench.look(0.1)
        assert order is not None
        assert (order.stop, order.trouble) == (True, TroubleKind.BUDGET)
        assert "$1.25" in order.why

    on_a_bench(test, budget_usd=1.0)


def test_an_agent_that_told_its_result_is_left_to_end() -> None:
    def test(bench: Bench) -> None:
        bench.spend(5.0, estimated=False)
        assert bench.look(0.1) is None
        assert bench.look(1.5) is None
        assert bench.told() == [5.0]

    on_a_bench(test, budget_usd=1.0, day=2.0)


def test_what_others_spend_ends_it_even_if_it_tells_nothing() -> None:
    def test(bench: Bench) -> None:
        bench.others_spend(1.5)
        assert bench.look(1.1) is None
        bench.others_spend(2.0)
        order = bench.look(2.2)
        assert order is not None
        assert order.trouble is TroubleKind.BUDGET
        assert "$2.00 today" in order.why

    on_a_bench(test, day=2.0)


def test_its_own_spending_and_that_of_others_add_up() -> None:
    def test(bench: Bench) -> None:
        bench.spend(0.6)
        bench.others_spend(0.6)
        order = bench.look(1.1)
        assert order is not None
        assert "$1.20" in order.why

    on_a_bench(test, day=1.0)


def test_a_task_s_own_budget_ends_it_too() -> None:
    def test(bench: Bench) -> None:
        bench.spend(0.6)
        order = bench.look(1.1)
        assert order is not None
        assert "budget.task" in order.why

    on_a_bench(test, task=0.5)


def test_a_full_disk_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def test(bench: Bench) -> None:
        append = bench.journal.ledger.append

        def fails(*_: object) -> Any:
            raise StorageError("The disk is full.")

        monkeypatch.setattr(bench.journal.ledger, "append", fails)
        bench.spend(0.1)
        assert bench.look(1.1) is None
        monkeypatch.setattr(bench.journal.ledger, "append", append)
        assert bench.look(2.2) is None
        assert bench.told() == [0.1]

    on_a_bench(test)
