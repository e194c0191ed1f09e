"""What the loop makes of an agent's own trouble: waits, other agents, another try, a person."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, Clock, Killed, does, story
from tests.support.light import Light

from ralph.domain import event as e
from ralph.domain.activity import Activity, ActivityKind
from ralph.domain.answer import Answer, Ended
from ralph.domain.decision import Action, StopReason
from ralph.domain.settings import LoopSettings
from ralph.domain.trouble import Trouble, TroubleKind
from ralph.domain.usage import Usage
from ralph.loop import control
from ralph.policy import remedy

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.job import Job

SOON = 0.4


class WallClock(Clock):
    def __call__(self) -> float:
        return time.time()


class Troubled(Acting):
    """Has these troubles, one after the other, then works."""

    def __init__(self, name: str, *troubles: Trouble, **answer: object) -> None:
        super().__init__(lambda job: does(job.task)(job))
        self.name = name
        self.troubles = list(troubles)
        self.answer = answer
        self.at: list[float] = []
        self.met = trouble(TroubleKind.EXIT)

    async def run(self, job: Job, line: Line) -> Answer:
        self.at.append(time.time())
        if self.troubles:
            self.jobs.append(job)
            met = self.troubles.pop(0)
            if met.until < 0:  # so long from now on, however busy the machine was until now
                met = self.met = replace(met, until=time.time() - met.until)
            return Answer("", Ended.EXITED, 1, 0.1, trouble=met)
        line.heard(Activity(ActivityKind.TOOL, "true", "Bash"))
        line.heard(Activity(ActivityKind.THOUGHT))
        return replace(await super().run(job, line), **self.answer)


def trouble(kind: TroubleKind, until: float = 0) -> Trouble:
    return Trouble(kind, f"The agent has {kind} trouble.", until)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Light:
    monkeypatch.setattr(control, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(remedy, "A_LITTLE", 0.0)
    check = "test ! -e broken.txt"
    return Light(tmp_path, [story("A"), story("B")], clock=WallClock(), check=check)


def only_one(place: Light) -> None:
    place.loop = replace(place.loop, max_iterations=1)


def test_a_usage_limit_is_one_call_one_wait_one_success_and_no_attempt(place: Light) -> None:
    only_one(place)
    agent = Troubled("a", trouble(TroubleKind.USAGE_LIMIT, -SOON))
    assert place.run(agent) == 4
    until = agent.met.until
    assert place.passed() == ["A"]
    assert [start.attempt for start in place.starts()] == [1, 1]
    assert len(agent.at) == 2
    assert agent.at[1] >= until
    assert place.state.known("A").attempts == 1
    assert place.state.run.waited > 0
    waits = [d for d in place.events(e.Decided) if d.action is Action.WAIT]
    assert [wait.until for wait in waits] == [until]


def test_a_run_that_was_killed_while_it_waits_waits_for_the_same_moment(place: Light) -> None:
    only_one(place)
    agent = Troubled("a", trouble(TroubleKind.USAGE_LIMIT, -5 * SOON))

    def die(recorded: e.Recorded) -> None:
        if isinstance(recorded.event, e.Decided) and recorded.event.action is Action.WAIT:
            raise Killed

    with pytest.raises(Killed):
        place.run(agent, watch=die)
    assert place.run(agent) == 4
    assert len(agent.at) == 2
    assert agent.at[1] >= agent.met.until
    assert place.passed() == ["A"]


def test_a_limit_beyond_the_leash_ends_the_run_and_says_when(place: Light) -> None:
    place.loop = replace(place.loop, max_wait_minutes=1)
    agent = Troubled("a", trouble(TroubleKind.USAGE_LIMIT, time.time() + 3600))
    assert place.run(agent) == 4
    assert place.state.run.reason is StopReason.USAGE_LIMIT
    assert "max_wait_minutes" in place.state.run.why
    assert place.run(agent) == 4  # and the next run does not ask either
    assert len(agent.at) == 1


def test_a_person_can_end_the_wait(place: Light) -> None:
    only_one(place)
    agent = Troubled("a", trouble(TroubleKind.USAGE_LIMIT, time.time() + 3600))
    place.loop = replace(place.loop, max_wait_minutes=100)

    def go_on(recorded: e.Recorded) -> None:
        if isinstance(recorded.event, e.Decided) and recorded.event.action is Action.WAIT:
            place.record(e.ResumeRequested("ada"))

    assert place.run(agent, watch=go_on) == 4
    assert place.passed() == ["A"]


@pytest.mark.parametrize(
    "kind",
    [kind for kind, how in remedy.REMEDIES.items() if how is remedy.Remedy.PERSON],
)
def test_what_only_a_person_can_mend_ends_the_run_with_the_message(
    place: Light, kind: TroubleKind
) -> None:
    agent = Troubled("a", trouble(kind))
    assert place.run(agent) == 1
    assert place.state.run.reason is StopReason.AGENT_UNAVAILABLE
    assert place.state.run.why == f"The agent has {kind} trouble."
    assert place.state.known("A").attempts == 0
    assert place.run(agent) == 0  # mended
    assert place.passed() == ["A", "B"]


def test_trouble_that_passes_is_tried_again_and_is_not_the_tasks_fault(place: Light) -> None:
    agent = Troubled("a", *[trouble(TroubleKind.CONNECTION)] * 4)
    assert place.run(agent) == 0
    assert [start.attempt for start in place.starts()] == [1, 1, 1, 1, 1, 1]
    assert not place.events(e.RolledBack, e.Escalated)


def test_trouble_that_does_not_pass_stops_the_run_and_parks_nothing(place: Light) -> None:
    agent = Troubled("a", *[trouble(TroubleKind.OVERLOAD)] * 20)
    assert place.run(agent) == 4
    assert len(agent.at) == place.loop.max_failures
    assert place.state.run.reason is StopReason.CONSECUTIVE_ERRORS
    assert not place.events(e.RolledBack, e.Escalated)


def chain(place: Light, *agents: Troubled) -> int:
    return place.run(agents[0], chain=agents)


def test_the_next_agent_takes_over_and_the_first_comes_back(
    place: Light, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remedy, "COOL_DOWN_SECONDS", SOON)
    first, second = Troubled("first", trouble(TroubleKind.AUTHENTICATION)), Troubled("second")
    second._acts = [_slowly]
    assert chain(place, first, second) == 0
    assert place.passed() == ["A", "B"]
    switched = place.events(e.AgentSwitched)
    assert switched == [
        e.AgentSwitched(1, "first", "second", "The agent has authentication trouble.")
    ]
    finished = [event.agent for event in place.events(e.AgentFinished)]
    assert finished == ["first", "second", "first"]
    assert [start.attempt for start in place.starts()] == [1, 1]


def test_a_chain_in_which_nobody_works_says_what_the_first_one_needs(place: Light) -> None:
    first = Troubled("first", trouble(TroubleKind.BILLING))
    second = Troubled("second", trouble(TroubleKind.NOT_STARTED))
    assert chain(place, first, second) == 1
    assert place.state.run.why == "The agent has billing trouble."
    assert len(first.at) == len(second.at) == 1


def test_two_agents_without_a_connection_do_not_chase_each_other(place: Light) -> None:
    agents = [Troubled(name, *[trouble(TroubleKind.CONNECTION)] * 20) for name in "ab"]
    assert chain(place, *agents) == 4
    assert sum(len(agent.at) for agent in agents) <= 2 * place.loop.max_failures


def test_a_red_test_or_a_time_out_is_no_reason_for_another_agent(place: Light) -> None:
    first = Troubled("first", trouble(TroubleKind.TIMEOUT))
    second = Troubled("second")
    assert chain(place, first, second) == 0
    assert not second.at


def test_what_the_agent_does_is_written_down(place: Light) -> None:
    only_one(place)
    usage = Usage(10, 20, cost_usd=0.5)
    agent = Troubled(
        "a", usage=usage, session="s1", models={"m": usage}, calls=2, tools={"Bash": 1}
    )
    place.run(agent)
    assert place.events(e.AgentActed) == [e.AgentActed(1, ActivityKind.TOOL, "true", "Bash")]
    (finished,) = place.events(e.AgentFinished)
    assert (finished.agent, finished.session, finished.calls) == ("a", "s1", 2)
    assert finished.models == {"m": usage}
    assert place.state.run.usage == usage


def test_an_agent_may_spend_what_is_left(place: Light) -> None:
    place.loop = LoopSettings(backoff_cap_seconds=0, max_cost=2)
    agent = Troubled("a", usage=Usage(cost_usd=0.5))
    assert place.run(agent) == 0
    assert [job.budget_usd for job in agent.jobs] == [2, 1.5]


def test_a_retry_goes_on_in_the_session_of_the_same_agent(place: Light) -> None:
    place.loop = replace(place.loop, verification_retries=1, max_iterations=1)
    agent = Troubled("a", session="s1")
    agent._acts = [does("broken"), _mending]
    place.run(agent)
    assert [job.session for job in agent.jobs] == ["", "s1"]
    assert place.passed() == ["A"]


def _slowly(job: Job) -> str:
    time.sleep(SOON)
    return does(job.task)(job)


def _mending(job: Job) -> str:
    (Path(job.workspace) / "broken.txt").unlink()
    return does(job.task)(job)
