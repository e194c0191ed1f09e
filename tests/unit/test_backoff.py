from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.policy.backoff import backoff

fractions = st.floats(0, 1, exclude_max=True)
caps = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 2), (2, 4), (3, 8), (5, 32), (6, 60), (7, 60), (10**9, 60)]
)
def test_doubles_up_to_the_cap(failures: int, seconds: float) -> None:
    assert backoff(failures, cap=60, jitter=1) == seconds
    assert backoff(failures, cap=60, jitter=0) == seconds / 2


def test_no_wait_without_a_failure() -> None:
    assert backoff(0, cap=60, jitter=0.5) == 0
    assert backoff(-1, cap=60, jitter=0.5) == 0


def test_a_cap_of_zero_means_no_waiting() -> None:
    assert backoff(5, cap=0, jitter=0.5) == 0


@given(st.integers(), caps, fractions)
def test_stays_between_nothing_and_the_cap(failures: int, cap: float, jitter: float) -> None:
    assert 0 <= backoff(failures, cap=cap, jitter=jitter) <= cap


@given(st.integers(1, 100), caps, fractions)
def test_never_less_than_half(failures: int, cap: float, jitter: float) -> None:
    assert backoff(failures, cap=cap, jitter=jitter) >= min(2**failures, cap) / 2


@given(st.integers(0, 100), caps, fractions)
def test_more_failures_never_wait_less(failures: int, cap: float, jitter: float) -> None:
    now = backoff(failures, cap=cap, jitter=jitter)
    assert now <= backoff(failures + 1, cap=cap, jitter=jitter)


@given(st.integers(1, 20), st.floats(1, 600), fractions, fractions)
def test_jitter_spreads(failures: int, cap: float, one: float, two: float) -> None:
    low, high = sorted((one, two))
    shorter = backoff(failures, cap=cap, jitter=low)
    assert shorter <= backoff(failures, cap=cap, jitter=high)
