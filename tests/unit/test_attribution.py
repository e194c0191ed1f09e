from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.tests import TestChange, TestOutcome, TestReport, TestResult
from ralph.proof.attribution import attribute, flaky

PASSED, FAILED, ERROR, SKIPPED, XFAILED, XPASSED = TestOutcome
RED_OR_GREEN = (PASSED, FAILED, ERROR)

outcomes = st.sampled_from(TestOutcome)
states = st.dictionaries(st.sampled_from("abcdefgh"), outcomes, max_size=8)


def report(state: dict[str, TestOutcome], file: str = "") -> TestReport:
    return TestReport("any", tuple(TestResult(name, o, file) for name, o in state.items()))


def changed(before: TestOutcome | None, after: TestOutcome | None) -> TestChange:
    base = report({"t": before} if before else {})
    head = report({"t": after} if after else {})
    return attribute(base, head).changes["t"]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (PASSED, PASSED, "clean"),
        (PASSED, FAILED, "regressed"),
        (PASSED, ERROR, "regressed"),
        (PASSED, SKIPPED, "newly_skipped"),
        (PASSED, XFAILED, "newly_skipped"),
        (PASSED, XPASSED, "newly_skipped"),
        (PASSED, None, "removed"),
        (FAILED, PASSED, "fixed"),
        (ERROR, PASSED, "fixed"),
        (FAILED, FAILED, "was_broken_before"),
        (FAILED, ERROR, "was_broken_before"),
        (FAILED, SKIPPED, "newly_skipped"),
        (FAILED, None, "removed"),
        (SKIPPED, SKIPPED, "clean"),
        (SKIPPED, PASSED, "new_green"),
        (SKIPPED, FAILED, "new_red"),
        (SKIPPED, None, "removed"),
        (XFAILED, PASSED, "fixed"),
        (XFAILED, FAILED, "new_red"),
        (XPASSED, PASSED, "clean"),
        (XPASSED, FAILED, "regressed"),
        (XPASSED, XFAILED, "clean"),
        (None, PASSED, "new_green"),
        (None, FAILED, "new_red"),
        (None, SKIPPED, "newly_skipped"),
    ],
)
def test_what_became_of_a_test(
    before: TestOutcome | None, after: TestOutcome | None, change: str
) -> None:
    assert changed(before, after) == change


def test_tests_of_a_file_that_no_longer_loads_are_broken_not_removed() -> None:
    base = report({"a.py::t": PASSED, "a.py::u": FAILED}, "a.py")
    head = report({"a.py": ERROR}, "a.py")
    found = attribute(base, head)
    assert found.changes == {
        "a.py::t": TestChange.REGRESSED,
        "a.py::u": TestChange.WAS_BROKEN_BEFORE,
        "a.py": TestChange.NEW_RED,
    }
    assert found.blamed == ("a.py::t", "a.py")


def test_tests_of_a_file_that_loads_at_last_were_red_before() -> None:
    base = report({"a.py": ERROR}, "a.py")
    head = report({"a.py::t": PASSED, "a.py::u": FAILED}, "a.py")
    found = attribute(base, head)
    assert found.changes == {
        "a.py": TestChange.FIXED,
        "a.py::t": TestChange.FIXED,
        "a.py::u": TestChange.WAS_BROKEN_BEFORE,
    }
    assert found.shown_red_first == ("a.py", "a.py::t")
    assert found.blamed == ()


def test_a_broken_file_that_was_deleted() -> None:
    base, head = report({"a.py": ERROR}, "a.py"), report({"b.py::t": PASSED}, "b.py")
    assert attribute(base, head).changes["a.py"] == TestChange.REMOVED


@given(states)
def test_without_a_change_nothing_is_blamed_and_nothing_is_new(
    state: dict[str, TestOutcome],
) -> None:
    found = attribute(report(state), report(state))
    assert set(found.changes.values()) <= {TestChange.CLEAN, TestChange.WAS_BROKEN_BEFORE}


@given(states, states)
def test_every_test_is_named_once(
    before: dict[str, TestOutcome], after: dict[str, TestOutcome]
) -> None:
    assert attribute(report(before), report(after)).changes.keys() == before.keys() | after.keys()


@given(states, states)
def test_only_red_tests_of_the_head_are_blamed(
    before: dict[str, TestOutcome], after: dict[str, TestOutcome]
) -> None:
    for name in attribute(report(before), report(after)).blamed:
        assert after[name].is_red
        assert name not in before or not before[name].is_red


@given(states, states)
def test_a_red_test_of_the_head_is_blamed_or_was_broken_before(
    before: dict[str, TestOutcome], after: dict[str, TestOutcome]
) -> None:
    found = attribute(report(before), report(after))
    red = {name for name, outcome in after.items() if outcome.is_red}
    old = set(found.having(TestChange.WAS_BROKEN_BEFORE))
    assert red == set(found.blamed) | old


@given(states, states)
def test_turning_time_round_swaps_fixed_and_regressed(
    before: dict[str, TestOutcome], after: dict[str, TestOutcome]
) -> None:
    plain = {
        name
        for name in before.keys() & after.keys()
        if before[name] in RED_OR_GREEN and after[name] in RED_OR_GREEN
    }
    there = attribute(report(before), report(after))
    back = attribute(report(after), report(before))
    assert plain & set(there.having(TestChange.FIXED)) == plain & set(
        back.having(TestChange.REGRESSED)
    )


def test_flaky_tests_were_green_and_red() -> None:
    runs = [
        report({"a": PASSED, "b": PASSED, "c": FAILED, "d": SKIPPED}),
        report({"a": FAILED, "b": PASSED, "c": FAILED, "d": FAILED}),
        report({"a": PASSED, "e": FAILED}),
    ]
    assert flaky(runs) == ("a",)


@given(st.lists(states, max_size=5))
def test_flaky_does_not_depend_on_the_order_of_the_runs(runs: list[dict[str, TestOutcome]]) -> None:
    reports = [report(state) for state in runs]
    assert set(flaky(reports)) == set(flaky(reports[::-1]))


@given(states, st.integers(0, 4))
def test_runs_that_agree_show_nothing_flaky(state: dict[str, TestOutcome], times: int) -> None:
    assert flaky([report(state)] * times) == ()
