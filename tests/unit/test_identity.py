"""When two results are of the same test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.tests import TestChange, TestOutcome, TestReport, TestResult
from ralph.proof.attribution import attribute
from ralph.proof.identity import moving, partners, shifted, without


def report(*names: str, file: str = "test_a.py", red: tuple[str, ...] = ()) -> TestReport:
    outcomes = dict.fromkeys(red, TestOutcome.FAILED)
    results = (
        TestResult(f"{file}::{name}", outcomes.get(name, TestOutcome.PASSED), file)
        for name in names
    )
    return TestReport("pytest", tuple(results))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("test_x[18:55:11 2026-11-16]", "test_x[19:02:59 2026-11-17]"),
        ("test_x[in_value4-None]", "test_x[in_value5-None]"),
        ("test_x[<Thing object at 0x7f00aa10>]", "test_x[<Thing object at 0x7f00bb20>]"),
        ("test_x[9b2e1c4d5f6a7b8c]", "test_x[0a1b2c3d4e5f6071]"),
        ("test_x[one]", "test_x[two]"),
        ("test 410", "test 411"),
    ],
)
def test_what_moves_is_no_part_of_a_name(before: str, after: str) -> None:
    found = partners(report("test_same", before), report("test_same", after))
    assert found == {f"test_a.py::{before}": f"test_a.py::{after}"}
    changes = attribute(report("test_same", before), report("test_same", after, red=(after,)))
    assert changes.blamed == (f"test_a.py::{after}",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["test_x[one]", "test_x[two]"], ["test_x[three]"]),
        (["test_one"], ["test_two"]),
        (["test_x[1]", "test_x[2]"], ["test_x[1]"]),
    ],
)
def test_what_is_gone_is_gone(before: list[str], after: list[str]) -> None:
    changes = attribute(report(*before), report(*after))
    assert changes.having(TestChange.REMOVED)


def test_tests_of_different_files_are_different() -> None:
    assert partners(report("test_x[1]"), report("test_x[2]", file="test_b.py")) == {}


def test_names_that_one_tree_has_only_once_move() -> None:
    once, again = report("test_a", "test_x[abc]"), report("test_a", "test_x[xyz]")
    assert moving(once, again) == {"test_a.py::test_x[abc]"}
    assert [one.id for one in without(once, moving(once, again)).results] == ["test_a.py::test_a"]
    elsewhere = report("test_b", file="test_b.py")
    assert moving(once, elsewhere) == frozenset(), "that file was not run again"


names = st.lists(
    st.sampled_from(["test_a", "test_b", "test_x[1]", "test_x[2]", "test_x[q]", "test_y[0xabcd]"]),
    unique=True,
)


def test_a_skipped_case_that_only_has_another_place_was_skipped_before() -> None:
    def cases(*outcomes: TestOutcome) -> TestReport:
        named = ((f"test_a.py::test_x[case{n}]", one) for n, one in enumerate(outcomes))
        return TestReport("pytest", tuple(TestResult(n, one, "test_a.py") for n, one in named))

    green, aside = TestOutcome.PASSED, TestOutcome.SKIPPED
    before, second = cases(green, aside, green), "test_a.py::test_x[case2]"
    assert shifted(before, cases(green, green, aside, green), [second]) == {second}
    assert not shifted(before, cases(green, aside, aside), [second]), "one more is skipped"
    assert not shifted(before, cases(aside, green, aside), [second]), "one less is green"
    only = "test_a.py::test_x"
    one, other = (TestReport("", (TestResult(only, o, "test_a.py"),)) for o in (green, aside))
    assert not shifted(one, other, [only])


@given(names, names)
def test_every_test_has_at_most_one_partner(before: list[str], after: list[str]) -> None:
    base, head = report(*before), report(*after)
    found = partners(base, head)
    assert len(set(found.values())) == len(found)
    assert found.keys() <= base.by_id.keys() - head.by_id.keys()
    assert set(found.values()) <= head.by_id.keys() - base.by_id.keys()


@given(names)
def test_nothing_moves_where_nothing_changed(before: list[str]) -> None:
    assert partners(report(*before), report(*before)) == {}
