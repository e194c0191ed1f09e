"""Single tests: how each ended, what a runner reported, what changed from base to head."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

MESSAGE = 2_000
"""How much is kept of what a test said."""


SEPARATOR = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Between a file, the titles around a test and its own, where the runner has such."""


class TestOutcome(StrEnum):
    """How one test ended, in the words of its runner."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    """It could not be run, or could not be cleaned up after."""
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    """It passed although a failure is expected, and the runner does not mind."""

    @property
    def is_green(self) -> bool:
        return self is TestOutcome.PASSED

    @property
    def is_red(self) -> bool:
        return self in (TestOutcome.FAILED, TestOutcome.ERROR)

    @property
    def is_aside(self) -> bool:
        """Whatever the code does, this test cannot turn its check red."""
        return not (self.is_green or self.is_red)


class TestResult(Struct, frozen=True):
    """One test in one run."""

    __test__ = False

    id: str
    """The same in every run and every checkout."""
    outcome: TestOutcome
    file: str = ""
    """The test's file, relative to the checkout; empty if the runner does not say."""
    message: str = ""
    seconds: float = 0

    @property
    def is_file(self) -> bool:
        """Whether it stands for a whole file, such as one that could not be loaded."""
        return bool(self.file) and self.id == self.file


class TestReport(Struct, frozen=True, dict=True):
    """What the runners behind one check said about single tests."""

    __test__ = False

    runner: str
    results: tuple[TestResult, ...] = ()
    problems: tuple[str, ...] = ()
    """Why the results may not be the whole truth: the report ends early, it contradicts itself."""
    searched: bool = True
    """Whether the runner looked for tests itself; not if only some were named to it."""

    @cached_property
    def by_id(self) -> dict[str, TestResult]:
        return {result.id: result for result in self.results}

    @cached_property
    def counts(self) -> dict[TestOutcome, int]:
        """For every outcome how many, also where there is none."""
        seen = Counter(result.outcome for result in self.results)
        return {outcome: seen[outcome] for outcome in TestOutcome}

    @property
    def executed(self) -> int:
        """How many tests were really run."""
        return sum(result.outcome is not TestOutcome.SKIPPED for result in self.results)

    @cached_property
    def red(self) -> tuple[TestResult, ...]:
        return tuple(result for result in self.results if result.outcome.is_red)


class TestChange(StrEnum):
    """What became of one test between the base and the head."""

    __test__ = False

    CLEAN = "clean"
    REGRESSED = "regressed"
    WAS_BROKEN_BEFORE = "was_broken_before"
    FIXED = "fixed"
    NEW_GREEN = "new_green"
    NEW_RED = "new_red"
    REMOVED = "removed"
    NEWLY_SKIPPED = "newly_skipped"
