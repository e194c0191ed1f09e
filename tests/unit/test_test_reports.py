from __future__ import annotations

import pytest

from ralph.domain.tests import TestOutcome, TestReport, TestResult

PASSED, FAILED, ERROR, SKIPPED, XFAILED, XPASSED = TestOutcome


def report(*outcomes: TestOutcome) -> TestReport:
    return TestReport("any", tuple(TestResult(f"t{n}", o) for n, o in enumerate(outcomes)))


@pytest.mark.parametrize("outcome", TestOutcome)
def test_an_outcome_is_green_or_red_or_aside(outcome: TestOutcome) -> None:
    assert [outcome.is_green, outcome.is_red, outcome.is_aside].count(True) == 1


def test_every_outcome_is_counted() -> None:
    counts = report(PASSED, PASSED, XFAILED).counts
    assert counts == {PASSED: 2, FAILED: 0, ERROR: 0, SKIPPED: 0, XFAILED: 1, XPASSED: 0}


def test_what_was_skipped_was_not_executed() -> None:
    assert report(PASSED, FAILED, SKIPPED, XFAILED, XPASSED, ERROR).executed == 5


def test_the_red_ones() -> None:
    assert [one.id for one in report(PASSED, FAILED, SKIPPED, ERROR, XFAILED).red] == ["t1", "t3"]


def test_results_by_id() -> None:
    one = report(PASSED, FAILED)
    assert one.by_id["t1"] is one.results[1]


def test_a_result_for_a_whole_file() -> None:
    assert TestResult("tests/a.py", ERROR, "tests/a.py").is_file
    assert not TestResult("tests/a.py::t", ERROR, "tests/a.py").is_file
    assert not TestResult("", ERROR, "").is_file
