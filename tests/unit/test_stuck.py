from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.state import TaskState
from ralph.policy.stuck import Symptom, SymptomKind, symptom


def _diagnose(
    signatures: str = "", trees: str = "", *, base: str = "0", same: int = 3, churn: int = 2
) -> Symptom | None:
    task = TaskState(signatures=list(signatures), trees=list(trees))
    return symptom(task, same_failure=same, churn=churn, base_tree=base)


@pytest.mark.parametrize(
    ("signatures", "trees", "signal", "value"),
    [
        ("aaa", "123", SymptomKind.SAME_FAILURE, 3),
        ("baaaa", "12345", SymptomKind.SAME_FAILURE, 4),
        ("abc", "000", SymptomKind.NO_PROGRESS, 3),
        ("abcd", "1111", SymptomKind.NO_PROGRESS, 3),
        ("abcd", "1000", SymptomKind.NO_PROGRESS, 3),
        ("abcd", "1212", SymptomKind.OSCILLATION, 2),
        ("abc", "101", SymptomKind.OSCILLATION, 2),
        ("abcde", "12131", SymptomKind.OSCILLATION, 2),
        ("aaa", "000", SymptomKind.SAME_FAILURE, 3),
    ],
)
def test_signals(signatures: str, trees: str, signal: SymptomKind, value: int) -> None:
    found = _diagnose(signatures, trees)
    assert found is not None
    assert (found.signal, found.value) == (signal, value)


@pytest.mark.parametrize(
    ("signatures", "trees"),
    [
        ("", ""),
        ("aa", "12"),
        ("aab", "123"),
        ("abaca", "12345"),
        ("ab", "00"),
        ("abc", "111"),
        ("abcd", "0012"),
        ("abc", "121"),
        ("abcde", "12123"),
        ("abcdef", "123456"),
    ],
)
def test_getting_on(signatures: str, trees: str) -> None:
    assert _diagnose(signatures, trees) is None


def test_a_success_without_a_signature_is_no_failure() -> None:
    task = TaskState(signatures=["", "", ""])
    assert symptom(task, same_failure=3, churn=2, base_tree="") is None


def test_unknown_trees_say_nothing() -> None:
    task = TaskState(trees=["", "", "", ""])
    assert symptom(task, same_failure=3, churn=2, base_tree="") is None


def test_without_a_base_the_first_tree_is_new() -> None:
    assert _diagnose(trees="111", base="", churn=0) is None
    found = _diagnose(trees="1111", base="", churn=0)
    assert found is not None
    assert (found.signal, found.value) == (SymptomKind.NO_PROGRESS, 3)


def test_every_why_gives_value_threshold_and_setting() -> None:
    assert _diagnose("aaaa", "1234") == Symptom(
        SymptomKind.SAME_FAILURE,
        4,
        3,
        "the same failure 4 times in a row; the threshold is 3 (loop.gutter.max_same_failure)",
    )
    assert _diagnose("abc", "000") == Symptom(
        SymptomKind.NO_PROGRESS,
        3,
        3,
        "no new state of the files 3 times in a row; "
        "the threshold is 3 (loop.gutter.max_same_failure)",
    )
    assert _diagnose("abc", "121", churn=1) == Symptom(
        SymptomKind.OSCILLATION,
        1,
        1,
        "back at an earlier state of the files once; "
        "the threshold is 1 (loop.gutter.max_churn_commits)",
    )


letters = st.text("abc", max_size=12)


@given(letters, letters)
def test_thresholds_of_zero_are_off(signatures: str, trees: str) -> None:
    assert _diagnose(signatures, trees, same=0, churn=0) is None


@given(letters, letters, st.integers(1, 5), st.integers(1, 5))
def test_a_diagnosis_reaches_its_threshold(
    signatures: str, trees: str, same: int, churn: int
) -> None:
    found = _diagnose(signatures, trees, same=same, churn=churn)
    if found is not None:
        assert found.value >= found.threshold
        assert found.threshold == (churn if found.signal is SymptomKind.OSCILLATION else same)


@given(st.integers(1, 12), st.integers(1, 12))
def test_new_failures_and_new_trees_are_progress(attempts: int, churn: int) -> None:
    task = TaskState(
        signatures=[f"failure {n}" for n in range(attempts)],
        trees=[f"tree {n}" for n in range(attempts)],
    )
    assert symptom(task, same_failure=2, churn=churn, base_tree="base") is None
