from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ralph.domain.tests import TestOutcome, TestReport
from ralph.domain.verdict import CheckResult

if TYPE_CHECKING:
    from ralph.domain.task import Command


class Trial(Struct, frozen=True, dict=True):
    """The checks, run once on one state of the repository."""

    commit: str
    results: tuple[CheckResult, ...] = ()
    reports: tuple[TestReport | None, ...] = ()
    """What each check's runner said of single tests, where it can."""
    notes: tuple[str, ...] = ()
    """What a reader must know about how it was run."""
    stopped: bool = False
    """Whether it was given up because what was reported until then was enough."""
    touched: tuple[str, ...] = ()
    """Files of the commit that were other ones when it ended."""

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)

    def from_before(self) -> Trial:
        """The same, said of files that were tried already."""
        return replace(self, results=tuple(replace(one, before=True) for one in self.results))

    @property
    def failure(self) -> CheckResult | None:
        return next((result for result in self.results if not result.passed), None)

    @property
    def unnamed(self) -> frozenset[Command]:
        """Checks that failed without naming a test."""
        both = zip(self.results, self.reports, strict=False)
        return frozenset(
            one.command
            for one, report in both
            if not one.passed and (report is None or not report.red)
        )

    @property
    def tests_passed(self) -> int:
        """Single tests; 0 where no runner reports them."""
        return self.report.counts[TestOutcome.PASSED] if self.report is not None else 0

    @property
    def tests_failed(self) -> int:
        return len(self.report.red) if self.report is not None else 0

    @cached_property
    def report(self) -> TestReport | None:
        """All single tests; None if no check reports any."""
        told = [report for report in self.reports if report is not None]
        if not told:
            return None
        return TestReport(
            runner=", ".join(dict.fromkeys(report.runner for report in told)),
            results=tuple(result for report in told for result in report.results),
            problems=tuple(problem for report in told for problem in report.problems),
            searched=all(report.searched for report in told),
        )
