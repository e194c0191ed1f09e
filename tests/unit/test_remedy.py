"""Every trouble has its remedy, and a chain never stands still while one of its agents can work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.domain.state import AgentState
from ralph.domain.trouble import TroubleKind
from ralph.policy.remedy import (
    LONGEST_COOL_DOWN,
    REMEDIES,
    STAYS,
    Hopeless,
    Pause,
    Remedy,
    free_at,
    held_up,
    pick,
)

NOW = 1_000_000.0
NAMES = ("one", "two", "three")

known = st.dictionaries(
    st.sampled_from(NAMES),
    st.builds(
        AgentState,
        kind=st.sampled_from(TroubleKind),
        why=st.just("why"),
        at=st.floats(NOW - 10_000, NOW),
        until=st.one_of(st.just(0.0), st.floats(NOW - 10_000, NOW + 10_000)),
        failures=st.integers(1, 50),
    ),
)


def in_trouble(kind: TroubleKind, **more: float) -> AgentState:
    return AgentState(kind, f"It is {kind}.", at=NOW, failures=1, until=more.get("until", 0))


@pytest.mark.parametrize("kind", TroubleKind)
def test_every_trouble_has_a_remedy(kind: TroubleKind) -> None:
    assert kind in REMEDIES


def test_what_stays_with_its_agent_counts_as_an_attempt_or_is_the_machine_s_fault() -> None:
    others = {kind for kind in STAYS if REMEDIES[kind] is not Remedy.ATTEMPT}
    assert others == {TroubleKind.DISK}
    assert REMEDIES[TroubleKind.DISK] is Remedy.RETRY


@given(known)
def test_either_someone_works_or_there_is_a_reason(troubles: dict[str, AgentState]) -> None:
    chosen, reason = pick(NAMES, troubles, NOW), held_up(NAMES, troubles, NOW)
    assert (chosen is None) == (reason is not None)
    if chosen is not None and free_at(troubles.get(chosen)) <= NOW:
        before = NAMES[: NAMES.index(chosen)]
        assert all(free_at(troubles.get(name)) > NOW for name in before)


@given(known)
def test_a_pause_ends_when_the_first_limit_does(troubles: dict[str, AgentState]) -> None:
    match held_up(NAMES, troubles, NOW):
        case Pause(until, agent, _):
            assert until > NOW
            assert pick(NAMES, troubles, until) == agent or pick(NAMES, troubles, until) in NAMES
        case Hopeless(agent, why):
            assert agent == NAMES[0]
            assert why == "why"
            assert all(REMEDIES[s.kind] is Remedy.PERSON for s in troubles.values() if s.kind)


@given(st.integers(1, 10_000))
def test_nobody_is_left_alone_for_longer_than_half_an_hour(failures: int) -> None:
    state = AgentState(TroubleKind.AUTHENTICATION, at=NOW, failures=failures)
    assert NOW < free_at(state) <= NOW + LONGEST_COOL_DOWN


def test_the_first_is_used_again_when_its_time_has_come() -> None:
    troubles = {"one": in_trouble(TroubleKind.AUTHENTICATION)}
    assert pick(NAMES, troubles, NOW + 1) == "two"
    assert pick(NAMES, troubles, NOW + 60) == "one"


def test_an_agent_alone_goes_on_after_trouble_that_passes() -> None:
    troubles = {"one": in_trouble(TroubleKind.CONNECTION)}
    assert pick(("one",), troubles, NOW) == "one"


def test_a_limit_that_does_not_say_when_it_ends_is_waited_for_all_the_same() -> None:
    found = held_up(("one",), {"one": in_trouble(TroubleKind.USAGE_LIMIT)}, NOW)
    assert isinstance(found, Pause)
    assert NOW + 60 < found.until < NOW + 3600


def test_of_two_limits_the_earlier_counts() -> None:
    troubles = {
        "one": in_trouble(TroubleKind.USAGE_LIMIT, until=NOW + 500),
        "two": in_trouble(TroubleKind.USAGE_LIMIT, until=NOW + 100),
    }
    found = held_up(("one", "two"), troubles, NOW)
    assert found == Pause(NOW + 101, "two", "It is usage_limit.")


def test_a_limit_is_waited_for_even_if_the_others_need_a_person() -> None:
    troubles = {
        "one": in_trouble(TroubleKind.BILLING),
        "two": in_trouble(TroubleKind.USAGE_LIMIT, until=NOW + 100),
    }
    assert isinstance(held_up(("one", "two"), troubles, NOW), Pause)
