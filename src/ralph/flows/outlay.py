"""What agents outside of a run use, such as reviewers: it counts like everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.budget import Scope
from ralph.domain.errors import BudgetSpent
from ralph.ledger.spending import TokenEconomicsService
from ralph.policy.budget import denied

if TYPE_CHECKING:
    from ralph.domain.settings import Settings
    from ralph.domain.usage import Usage
    from ralph.ledger.journal import Journal


class Outlay:
    """Asks the budgets before an agent starts, and writes down what it used."""

    def __init__(self, journal: Journal, settings: Settings, what: str) -> None:
        self._economics = TokenEconomicsService(journal, settings)
        self._what = what

    def allow(self) -> None:
        """A BudgetSpent if the day's, the project's or the organisation's money is used up."""
        found = self._economics.check_each()
        spent = denied(found, Scope.ORGANISATION, Scope.DAY, Scope.PROJECT)
        if spent is not None:
            raise BudgetSpent(f"{spent.why}.", fix="See what was spent with `ralph cost`.")

    def spent(self, agent: str, usage: Usage) -> None:
        self._economics.record_consumption(0, self._what, usage, by=agent)
