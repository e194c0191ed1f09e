"""The watchers for health and handoffs, told what an agent does and what time it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, does, story
from tests.support.light import Light

from ralph.agents.line import Line
from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.attended import (
    HandoffAsked,
    HandoffRequested,
    HealthChanged,
    Intervened,
    NudgeRequested,
)
from ralph.domain.checkpoint import HandoffTrigger
from ralph.domain.decision import Outcome
from ralph.domain.event import Answered, IterationEnded
from ralph.domain.question import Choice, QuestionKind, Reply
from ralph.domain.settings import HandoffSettings, HealthSettings, LoopSettings
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.loop.drive import start
from ralph.loop.handover import HandoverWatcher
from ralph.loop.health import HealthWatcher
from ralph.loop.planning import read_plan
from ralph.loop.prompter import Prompter
from ralph.loop.working import begin
from ralph.policy.select import parked
from ralph.process import Pulse

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run

MINUTE = 60.0


@pytest.fixture
def place(tmp_path: Path) -> Light:
    return Light(tmp_path, [story("T1")])


def begun(place: Light) -> tuple[Run, Iteration]:
    """A house in the middle of an iteration, without an agent."""

    async def go() -> tuple[Run, Iteration]:
        run = place.opened(Acting(does("T1")))
        start(run)
        plan = read_plan(run)
        return run, begin(run, plan, plan.by_id["T1"])

    return asyncio.run(go())


def result(digest: str = "", *, failed: bool = False) -> Activity:
    return Activity(ActivityKind.RESULT, "x", "Edit", digest=digest, failed=failed)


def spent(cost: float, context: float = 0) -> Activity:
    return Activity(ActivityKind.SPENT, usage=Usage(cost_usd=cost), context=context)


def test_errors_in_a_row_ask_for_a_handoff_once_and_then_end_it(place: Light) -> None:
    run, attempt = begun(place)
    watcher = HandoverWatcher(run, attempt, Line(), 0)
    for failed in (True, True, False, True, True):
        watcher.heard(result(failed=failed), 1)
        assert watcher.look(1) is None
    watcher.heard(result(failed=True), 2)
    order = watcher.look(2)
    assert order is not None
    assert "please hand over T1 (Write T1)" in order.text
    assert "3 errors in a row (handoff.errors)" in order.text
    assert "You have 5 minutes." in order.text
    [asked] = place.events(HandoffAsked)
    assert (asked.trigger, asked.value, asked.threshold) == ("error_threshold", 3, 3)
    watcher.heard(spent(0, context=0.99), 3)
    assert watcher.look(2 + 4.9 * MINUTE) is None
    order = watcher.look(2 + 5 * MINUTE)
    assert order is not None
    assert (order.stop, order.trouble) == (True, None)
    assert "did not wrap up within 5 minutes (handoff.wrap_up_minutes)" in order.why


@pytest.mark.parametrize(
    ("activity", "now", "trigger"),
    [
        (spent(0, context=0.7), 1, None),
        (spent(0, context=0.71), 1, "context_threshold"),
        (spent(8.0), 1, None),
        (spent(8.1), 1, "token_budget"),
        (spent(0), 59, None),
        (spent(0), 60, "timeout"),
    ],
)
def test_what_asks_for_a_handoff(
    place: Light, activity: Activity, now: float, trigger: str | None
) -> None:
    run, attempt = begun(place)
    handoff, loop = HandoffSettings(minutes=1), LoopSettings(max_cost=10)
    run = replace(run, settings=replace(run.settings, handoff=handoff, loop=loop))
    watcher = HandoverWatcher(run, attempt, Line(), 0)
    watcher.heard(activity, now)
    order = watcher.look(now)
    assert (order is None) is (trigger is None)
    assert [one.trigger for one in place.events(HandoffAsked)] == [trigger] * (trigger is not None)


def test_a_budget_that_was_near_its_end_before_the_agent_began_asks_nobody_again(
    place: Light,
) -> None:
    run, attempt = begun(place)
    run = replace(run, settings=replace(run.settings, loop=LoopSettings(max_cost=10)))
    run.state.run.usage = Usage(cost_usd=8.5)
    watcher = HandoverWatcher(run, attempt, Line(), 0)
    watcher.heard(spent(1), 1)
    assert watcher.look(1) is None


def asked_about(place: Light) -> tuple[Run, HealthWatcher]:
    """An agent that three nudges did not help, and about which people are asked."""
    run, attempt = begun(place)
    health = HealthSettings(dead_minutes=0, degraded_minutes=0, nudges=0)
    run = replace(run, settings=replace(run.settings, health=health))
    watcher = HealthWatcher(run, attempt, Line(), 0)
    assert watcher.look(30 * MINUTE) is None
    assert [one.question.kind for one in run.state.questions.values()] == [QuestionKind.AGENT]
    assert "It is ended in 15 minutes" in run.state.questions["Q1"].question.context
    return run, watcher


def answer(run: Run, reply: Reply) -> None:
    run.journal.record(Answered("Q1", reply, "alice"))


def test_a_question_about_the_agent_holds_up_no_task_and_ends_with_it(place: Light) -> None:
    run, _ = asked_about(place)
    assert not parked(run.state)
    assert not run.questions(0)
    run.journal.record(IterationEnded(1, "T1", Outcome.FAILED, "it was ended", 0))
    assert not run.state.questions


def test_a_person_gives_the_agent_more_time(place: Light) -> None:
    run, watcher = asked_about(place)
    answer(run, Reply(Choice.OPTION, 1))
    assert watcher.look(40 * MINUTE) is None
    assert run.state.run.health == "healthy"
    assert watcher.look(69 * MINUTE) is None
    assert not run.state.questions
    assert watcher.look(70 * MINUTE) is None
    assert list(run.state.questions) == ["Q2"], "thirty minutes later it is stuck again"
    order = watcher.look(85 * MINUTE)
    assert order is not None
    assert order.stop


@pytest.mark.parametrize("reply", [Reply(Choice.OPTION, 3), Reply(Choice.RETRY)])
def test_a_person_ends_the_agent(place: Light, reply: Reply) -> None:
    run, watcher = asked_about(place)
    answer(run, reply)
    order = watcher.look(31 * MINUTE)
    assert order is not None
    assert (order.stop, order.trouble) == (True, TroubleKind.STUCK)
    assert order.why == "The agent was stopped: alice wanted it ended."
    assert not run.state.known("T1").skipped


def test_a_person_skips_the_task_at_which_the_agent_is_stuck(place: Light) -> None:
    run, watcher = asked_about(place)
    answer(run, Reply(Choice.SKIP))
    assert watcher.look(31 * MINUTE) is not None
    assert run.state.known("T1").skipped.startswith("alice skipped it")


@pytest.mark.parametrize("deaf", [False, True])
def test_a_person_has_it_hand_over(place: Light, *, deaf: bool) -> None:
    run, attempt = begun(place)
    line = Line()
    if not deaf:
        line.connect(lambda _: None)
    watcher = HandoverWatcher(run, attempt, line, 0)
    assert watcher.look(1) is None
    run.journal.record(HandoffRequested("T1", "alice"))
    order = watcher.look(2)
    assert order is not None
    assert order.stop is deaf, "who cannot be told need not be waited for"
    assert "please hand over T1" in order.text
    [asked] = place.events(HandoffAsked)
    assert asked.trigger is HandoffTrigger.EXPLICIT_REQUEST
    assert asked.why.startswith("alice asked for it")


def test_a_word_for_the_agent_is_passed_on_once(place: Light) -> None:
    run, attempt = begun(place)
    line = Line()
    watcher = Prompter(run, attempt, line)
    run.journal.record(NudgeRequested("T1", "use v2", "alice"))
    assert watcher.look(1) is None, "it takes no messages"
    line.connect(lambda _: None)
    order = watcher.look(2)
    assert order is not None
    assert (order.text, order.stop) == ("use v2", False)
    assert watcher.look(3) is None
    run.journal.record(IterationEnded(1, "T1", Outcome.FAILED, "no", 0))
    assert not run.state.known("T1").guidance


def test_a_word_that_could_not_be_passed_on_is_for_the_next_agent(place: Light) -> None:
    run, _ = begun(place)
    run.journal.record(NudgeRequested("T1", "use v2", "alice"))
    run.journal.record(IterationEnded(1, "T1", Outcome.FAILED, "no", 0))
    assert run.state.known("T1").guidance == ["use v2"]
    assert not run.state.run.words


class Body:
    """A process that shows these signs of life, one at each look."""

    def __init__(self, *pulses: Pulse | None) -> None:
        self._pulses = list(pulses)

    def stop(self) -> None:
        raise AssertionError("nobody may stop it but the watch")

    def pulse(self) -> Pulse | None:
        return self._pulses.pop(0) if len(self._pulses) > 1 else self._pulses[0]


SILENT = 1e6
LIMITS = HealthSettings(dead_minutes=5, start_minutes=0, stuck_minutes=1000, degraded_minutes=0)


@pytest.mark.parametrize(
    ("pulses", "dead"),
    [
        ([Pulse(SILENT, 10, 0), Pulse(SILENT, 10, 0)], True),
        ([Pulse(SILENT, 10, 0), Pulse(SILENT, 12, 0)], True),  # an idle program, 2 s in 4.5 min
        ([Pulse(SILENT, 10, 0), Pulse(SILENT, 20, 0)], False),
        ([Pulse(SILENT, 10, 0), Pulse(SILENT, 10, 1)], False),
        ([Pulse(SILENT, 10, 0), Pulse(3, 10, 0)], False),
        ([Pulse(SILENT, 10, 0), None], False),
        ([None], False),
    ],
)
def test_only_one_in_which_nothing_at_all_lives_is_dead(
    place: Light, pulses: list[Pulse | None], *, dead: bool
) -> None:
    run, attempt = begun(place)
    run = replace(run, settings=replace(run.settings, health=LIMITS))
    line = Line()
    line.attach(Body(*pulses))
    watcher = HealthWatcher(run, attempt, line, 0)
    assert watcher.look(30) is None
    order = watcher.look(5 * MINUTE)
    assert (order is not None) is dead
    if order is not None:
        assert (order.stop, order.trouble) == (True, TroubleKind.IDLE)


def test_a_changed_file_is_a_sign_of_life_too(place: Light) -> None:
    run, attempt = begun(place)
    run = replace(run, settings=replace(run.settings, health=LIMITS))
    line = Line()
    line.attach(Body(Pulse(SILENT, 10, 0)))
    watcher = HealthWatcher(run, attempt, line, 0)
    assert watcher.look(30) is None
    (place.workspace / "new.txt").write_text("new\n")
    assert watcher.look(5 * MINUTE) is None
    assert place.events(HealthChanged) == []


def test_the_same_answers_to_the_same_calls_are_no_progress(place: Light) -> None:
    run, attempt = begun(place)
    health = HealthSettings(dead_minutes=0, degraded_minutes=0, nudges=1)
    run = replace(run, settings=replace(run.settings, health=health))
    line, told = Line(), list[str]()
    line.connect(told.append)
    watcher = HealthWatcher(run, attempt, line, 0)
    for minute, digest in enumerate(["a", "b", "a", "b", "b", "c"]):
        watcher.heard(result(digest), minute * MINUTE)
        assert watcher.look(minute * MINUTE) is None
    # news came at minute 5: stuck at 35, not at 30
    assert watcher.look(34 * MINUTE) is None
    order = watcher.look(35 * MINUTE)
    assert order is not None
    assert order.text.startswith(
        "A reminder from Ralph, who watches over the work on T1 (Write T1)"
    )
    assert "This is reminder 1 of 1." in order.text
    [nudge] = place.events(Intervened)
    assert (nudge.level, nudge.text, nudge.number) == ("nudge", order.text, 1)


def test_repeating_oneself_is_noticed_at_once(place: Light) -> None:
    run, attempt = begun(place)
    watcher = HealthWatcher(run, attempt, Line(), 0)
    for number in range(5):
        watcher.heard(Activity(ActivityKind.TOOL, "make", "Bash"), number)
        answer = Activity(ActivityKind.RESULT, "ok", "Bash", digest="same")
        watcher.heard(answer, number)
        assert watcher.look(number) is None
    assert [one.now for one in place.events(HealthChanged)] == ["stuck"]
    [nudge] = place.events(Intervened)
    assert (
        "5 times in a row: Bash make (health.tool_cycles); it takes no messages while it works"
        in nudge.why
    )
