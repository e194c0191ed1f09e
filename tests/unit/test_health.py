from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.chance import examples

from ralph.domain.health import BreakerState as CircuitBreakerState
from ralph.domain.health import HealthState, HeartbeatPayload, InterventionLevel
from ralph.domain.settings import HealthSettings
from ralph.policy.health import AgentHealth, HealthMonitoringService, Intervention, minutes

MINUTE = 60.0
DEFAULTS = HealthSettings()
NEVER_DEAD = HealthSettings(dead_minutes=0)
NUDGE, ESCALATE, TERMINATE = (
    InterventionLevel.NUDGE,
    InterventionLevel.ESCALATE,
    InterventionLevel.TERMINATE,
)


def beat(
    service: HealthMonitoringService, at: float, *, progress: bool = False, errors: int = 0
) -> None:
    service.heartbeat(HeartbeatPayload(at, "test", progress=progress, errors=errors))


def carried_out(service: HealthMonitoringService, now: float) -> Intervention | None:
    """What the loop does with what is due."""
    step = service.due(now)
    if step is not None:
        match step.level:
            case InterventionLevel.NUDGE:
                service.nudged(now)
            case InterventionLevel.ESCALATE:
                service.escalated(now)
            case InterventionLevel.TERMINATE:
                service.terminated()
    return step


def ladder(service: HealthMonitoringService, until: float) -> list[tuple[int, InterventionLevel]]:
    """Minute by minute: when what was done, while the agent shows signs of life and no progress."""
    found = []
    for minute in range(int(until) + 1):
        beat(service, minute * MINUTE)
        step = carried_out(service, minute * MINUTE)
        if step is not None:
            found.append((minute, step.level))
    return found


def test_the_ladder_takes_the_time_that_the_settings_say() -> None:
    service = HealthMonitoringService(DEFAULTS)
    steps = [(30, NUDGE), (40, NUDGE), (50, NUDGE), (60, ESCALATE), (75, TERMINATE)]
    assert ladder(service, 600) == steps


def test_the_states_on_the_way() -> None:
    service = HealthMonitoringService(DEFAULTS)
    seen: dict[HealthState, int] = {}
    for minute in range(80):
        beat(service, minute * MINUTE)
        carried_out(service, minute * MINUTE)
        seen.setdefault(service.check_health(minute * MINUTE), minute)
    assert seen == {
        HealthState.HEALTHY: 0,
        HealthState.DEGRADED: 10,
        HealthState.STUCK: 30,
        HealthState.FAILING: 60,
        HealthState.TERMINATED: 75,
    }


def test_progress_in_the_last_moment_starts_all_over() -> None:
    service = HealthMonitoringService(DEFAULTS)
    ladder(service, 74)
    beat(service, 74.9 * MINUTE, progress=True)
    assert service.check_health(75 * MINUTE) is HealthState.HEALTHY
    assert service.due(75 * MINUTE) is None
    assert service.due(104.8 * MINUTE) is None or True
    beat(service, 104.95 * MINUTE)
    assert service.due(105 * MINUTE) == Intervention(
        NUDGE,
        "no progress for 30.1 minutes, the limit is 30 minutes (health.stuck_minutes)",
        number=1,
    )


def test_every_end_says_its_sign_its_value_and_its_threshold() -> None:
    service = HealthMonitoringService(NEVER_DEAD)
    for minute in range(75):
        carried_out(service, minute * MINUTE)
    step = service.due(75 * MINUTE)
    assert step is not None
    assert step.why == (
        "no progress for 75 minutes, the limit is 30 minutes (health.stuck_minutes); "
        "3 nudges did not help (health.nudges), and nothing moved for another 15 minutes "
        "(health.escalate_minutes)"
    )


@pytest.mark.parametrize(
    ("beats", "now", "dead"),
    [
        ([], 0.9, False),
        ([], 1, True),  # nothing at all since its start
        ([0.5], 5.4, False),
        ([0.5], 5.5, True),
        ([0.5, 5.4], 10.3, False),  # silent thinking sends a sign of life now and then
    ],
)
def test_dead_is_who_shows_no_sign_of_life_at_all(
    beats: list[float], now: float, *, dead: bool
) -> None:
    service = HealthMonitoringService(DEFAULTS)
    for at in beats:
        beat(service, at * MINUTE)
    step = service.due(now * MINUTE)
    assert (step is not None and step.dead) is dead
    if step is not None:
        assert step.level is TERMINATE
        assert "no CPU time" in step.why
        assert "_minutes)" in step.why


def test_errors_in_a_row_are_signs_too_and_go_up_the_same_ladder() -> None:
    service = HealthMonitoringService(NEVER_DEAD)
    beat(service, 1, errors=2)
    assert service.check_health(1) is HealthState.HEALTHY
    beat(service, 2, errors=3)
    assert service.check_health(2) is HealthState.DEGRADED
    assert service.due(2) is None
    beat(service, 3, errors=10)
    assert service.check_health(3) is HealthState.FAILING
    step = service.due(3)
    assert step is not None
    assert step.level is NUDGE
    beat(service, 4, errors=0, progress=True)
    assert service.check_health(4) is HealthState.HEALTHY


def test_going_round_in_circles_is_being_stuck_at_once() -> None:
    service = HealthMonitoringService(NEVER_DEAD)
    service.circles("the same calls")
    assert service.check_health(1) is HealthState.STUCK
    assert service.why(1) == "the same calls (health.tool_cycles)"
    assert carried_out(service, 1) is not None
    service.circles("")
    assert service.due(20 * MINUTE) is None


def test_rules_that_are_off_never_fire() -> None:
    off = HealthSettings(
        degraded_minutes=0,
        stuck_minutes=0,
        dead_minutes=0,
        start_minutes=0,
        degraded_errors=0,
        failing_errors=0,
    )
    service = HealthMonitoringService(off)
    beat(service, 1, errors=100)
    assert service.check_health(1e9) is HealthState.HEALTHY
    assert service.due(1e9) is None


def test_without_nudges_people_are_told_at_once() -> None:
    service = HealthMonitoringService(HealthSettings(nudges=0, dead_minutes=0))
    assert [carried_out(service, m * MINUTE) for m in (29, 30)][1] == Intervention(
        ESCALATE, "no progress for 30 minutes, the limit is 30 minutes (health.stuck_minutes)"
    )


Steps = st.lists(
    st.tuples(
        st.floats(0.1, 40 * MINUTE),
        st.sampled_from(["nothing", "alive", "alive", "progress", "error", "circle", "no circle"]),
    ),
    max_size=60,
)


@given(Steps, st.integers(0, 4))
@settings(max_examples=examples(200), deadline=None)
def test_nobody_is_ended_without_the_whole_ladder(
    steps: list[tuple[float, str]], nudges: int
) -> None:
    """And any progress puts an agent back to its foot."""
    limits = HealthSettings(nudges=nudges, dead_minutes=0)
    service, now, errors = HealthMonitoringService(limits), 0.0, 0
    done: list[tuple[float, InterventionLevel]] = []
    for passed, what in steps:
        now += passed
        if what in ("circle", "no circle"):
            service.circles("the same" if what == "circle" else "")
        elif what != "nothing":
            errors = errors + 1 if what == "error" else 0
            beat(service, now, progress=what == "progress", errors=errors)
        if what == "progress":
            done.clear()
            assert service.check_health(now) is HealthState.HEALTHY
        step = carried_out(service, now)
        if step is None:
            continue
        done.append((now, step.level))
        if step.level is TERMINATE:
            break
    if done and done[-1][1] is TERMINATE:
        assert [level for _, level in done] == [NUDGE] * nudges + [ESCALATE, TERMINATE]
        waits = [later - earlier for (earlier, _), (later, _) in pairwise(done)]
        assert all(wait >= limits.nudge_minutes * MINUTE for wait in waits[:-1])
        assert waits[-1] >= limits.escalate_minutes * MINUTE


@given(st.lists(st.tuples(st.floats(0, 1e6), st.booleans(), st.integers(0, 20)), max_size=30))
def test_signs_that_come_late_turn_nothing_back(signs: list[tuple[float, bool, int]]) -> None:
    service = HealthMonitoringService(DEFAULTS)
    last = AgentHealth.at(0)
    for at, progress, errors in signs:
        beat(service, at, progress=progress, errors=errors)
        assert service.health.alive >= last.alive
        assert service.health.progress >= last.progress
        last = service.health


@pytest.mark.parametrize(
    ("value", "text"),
    [(30, "30 minutes"), (1, "1 minute"), (1.5, "1.5 minutes"), (0.05, "3 seconds")],
)
def test_minutes_as_people_say_them(value: float, text: str) -> None:
    assert minutes(value) == text


def test_a_nudge_is_worded_and_counted() -> None:
    service = HealthMonitoringService(now=0)
    text = service.nudge_agent(1800)
    assert text.startswith("Reminder 1 of 3: nothing has moved for 30 minutes.")
    assert (service.health.nudges, service.health.nudged) == (1, 1800)


def test_the_service_has_a_breaker_of_its_own() -> None:
    service = HealthMonitoringService(HealthSettings(breaker_failures=2, breaker_minutes=1))
    assert service.circuit_breaker.state(0) is CircuitBreakerState.CLOSED
    service.circuit_breaker.trip(0)
    assert service.circuit_breaker.state(59) is CircuitBreakerState.OPEN
    assert service.circuit_breaker.state(60) is CircuitBreakerState.HALF_OPEN
