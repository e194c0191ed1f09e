"""The loop hands a task over: no failure, the work stays, and the next agent is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, Killed, does, story
from tests.support.light import Light

from ralph.domain import event as e
from ralph.domain.answer import Answer, Ended
from ralph.domain.attended import CheckpointSaved, HandoffAsked
from ralph.domain.checkpoint import ExecutionPhase, HandoffTrigger
from ralph.domain.decision import Action, Outcome
from ralph.domain.trouble import Trouble, TroubleKind
from ralph.policy.checkpoint import is_valid
from ralph.views.status import loop_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.agents.line import Line
    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.job import Job

BLOCK = """<checkpoint>
completed:
- the first half
decisions:
- halves, because it is long
next steps:
- write the second half
</checkpoint>
"""
ASKS = f"{BLOCK}<handoff>I run out of room</handoff>"
HEADING = "## Where the last agent stopped"


@pytest.fixture
def place(tmp_path: Path) -> Light:
    return Light(tmp_path, [story("A")])


def writes(text: str, say: str) -> Callable[[Job], str]:
    def act(job: Job) -> str:
        with (Path(job.workspace) / "A.txt").open("a") as file:
            file.write(text)
        return say

    return act


def told(place: Light, act: Callable[[Job], str]) -> Callable[[Job], str]:
    """The agent is told to wrap up while it works."""

    def acts(job: Job) -> str:
        why = "74 % of its context is in use"
        asked = HandoffAsked(
            job.iteration, job.task, HandoffTrigger.CONTEXT_THRESHOLD, 0.74, 0.7, why
        )
        place.record(asked)
        return act(job)

    return acts


def section(job: Job) -> str:
    """What the prompt says of the last agent; its own words stand elsewhere in it too."""
    return job.prompt.partition(HEADING)[2].partition("\n## ")[0]


def ends(place: Light) -> list[tuple[Outcome, HandoffTrigger | None]]:
    return [(end.outcome, end.handoff) for end in place.events(e.IterationEnded)]


def checkpoints(place: Light) -> list[Checkpoint]:
    return [saved.checkpoint for saved in place.events(CheckpointSaved)]


def test_an_agent_asks_to_be_relieved_and_a_fresh_one_goes_on(place: Light) -> None:
    agent = Acting(writes("one\n", ASKS), writes("two\n", "Task A complete"))
    assert place.run(agent) == 0
    assert place.held("A.txt") == "one\ntwo"
    request = HandoffTrigger.EXPLICIT_REQUEST
    assert ends(place) == [(Outcome.INTERRUPTED, request), (Outcome.SUCCESS, None)]
    assert [d.action for d in place.events(e.Decided)][:2] == [Action.CONTINUE, Action.HANDOFF]
    first, second = (section(job) for job in agent.jobs)
    assert not first
    for words in ("the first half", "halves, because", "write the second half"):
        assert f"- {words}" in second
    assert "I run out of room" in second
    state = place.state
    assert (state.metrics.failures, state.run.failures, state.run.handoffs) == (0, 0, 1)
    assert state.known("A").handoff is None


def test_each_iteration_leaves_a_checkpoint_in_the_same_write(place: Light) -> None:
    place.run(Acting(writes("one\n", ASKS), writes("two\n", "Task A complete")))
    halfway, done = checkpoints(place)
    assert is_valid(halfway)
    assert is_valid(done)
    assert halfway.state.completed == ("the first half",)
    assert halfway.metrics.files_changed == 1
    assert halfway.metadata.agent == "acting"
    assert done.state.phase is ExecutionPhase.COMPLETE
    assert done.recovery.commit == place.head()
    assert done.context.decisions == ("halves, because it is long",)
    kinds, times = zip(
        *((type(r.event).__name__, r.at) for r in place.ledger.read("p")), strict=True
    )
    for number, kind in enumerate(kinds):
        if kind == "CheckpointSaved":
            assert kinds[number + 1] == "IterationEnded"
            assert times[number + 1] == times[number]
    assert place.state.checkpoint == done.metadata.id


def test_the_status_shows_it(place: Light) -> None:
    seen: list[str] = []

    def watch(recorded: e.Recorded) -> None:
        if isinstance(recorded.event, (e.IterationEnded, HandoffAsked)):
            seen.append(loop_state(place.state))

    place.run(Acting(writes("one\n", ASKS), writes("two\n", "Task A complete")), watch=watch)
    assert seen == ["handoff", "running"]
    status = json.loads((place.root / ".ralph" / "status.json").read_text())
    halfway, done = status["iterations"]
    assert (halfway["handoff_trigger"], done["handoff_trigger"]) == ("explicit_request", "")
    assert (halfway["phase"], done["phase"]) == ("handoff", "complete")
    assert halfway["completed_items"] == ["the first half"]
    assert done["checkpoint_id"] == status["last_checkpoint_id"] != halfway["checkpoint_id"]


def test_an_agent_that_is_told_to_hand_over_does_not_fail(place: Light) -> None:
    agent = Acting(told(place, writes("one\n", BLOCK)), writes("two\n", "Task A complete"))
    assert place.run(agent) == 0
    assert ends(place)[0] == (Outcome.INTERRUPTED, HandoffTrigger.CONTEXT_THRESHOLD)
    assert "- the first half" in section(agent.jobs[1])
    assert place.state.metrics.failures == 0
    assert not place.events(e.Verified)[0].verdict.results  # unfinished work needs no check


class Ending(Acting):
    """Ends like this the first time."""

    def __init__(self, answer: Answer, *acts: Callable[[Job], str]) -> None:
        super().__init__(*acts)
        self.answer = answer

    async def run(self, job: Job, line: Line) -> Answer:
        answer = await super().run(job, line)
        return replace(self.answer, text=answer.text) if len(self.jobs) == 1 else answer


@pytest.mark.parametrize(
    "answer",
    [
        Answer("", Ended.STOPPED, None, 1.0),
        Answer("", Ended.STOPPED, 143, 1.0, trouble=Trouble(TroubleKind.KILLED, "stopped")),
        Answer("", Ended.TIMEOUT, None, 1.0, trouble=Trouble(TroubleKind.TIMEOUT, "too long")),
    ],
)
def test_one_that_had_to_be_ended_hands_over_what_it_left(place: Light, answer: Answer) -> None:
    agent = Ending(answer, told(place, writes("one\n", "")), writes("two\n", "Task A complete"))
    assert place.run(agent) == 0
    assert place.held("A.txt") == "one\ntwo"
    assert ends(place)[0] == (Outcome.INTERRUPTED, HandoffTrigger.CONTEXT_THRESHOLD)


def test_trouble_of_its_own_stays_what_it_is(place: Light) -> None:
    down = Answer("", Ended.EXITED, 1, 1.0, trouble=Trouble(TroubleKind.OVERLOAD, "busy"))
    agent = Ending(down, told(place, writes("one\n", "")), writes("two\n", "Task A complete"))
    assert place.run(agent) == 0
    assert ends(place)[0] == (Outcome.INTERRUPTED, None)
    assert not place.events(e.IterationEnded)[0].counts


def test_a_claim_is_judged_as_always(place: Light) -> None:
    place.check = "grep -q two A.txt"
    red = told(place, writes("one\n", f"{ASKS}\nTask A complete"))
    green = told(place, writes("two\n", "Task A complete"))
    agent = Acting(red, green)
    assert place.run(agent) == 0
    assert ends(place) == [(Outcome.FAILED, None), (Outcome.SUCCESS, None)]
    assert "- halves, because" in section(agent.jobs[1])  # what it said is kept all the same


def test_what_it_said_before_it_was_asked_once_more_is_kept(place: Light) -> None:
    place.loop = replace(place.loop, verification_retries=1)
    place.check = "grep -q three A.txt"
    agent = Acting(
        writes("one\n", f"{BLOCK}Task A complete"),
        writes("two\n", "Task A complete"),
        writes("three\n", "Task A complete"),
    )
    assert place.run(agent) == 0
    assert "- halves, because" in section(agent.jobs[2])


def test_a_question_beats_a_handoff(place: Light) -> None:
    asks = "<escalate type='stuck'><summary>Left or right?</summary></escalate>"
    assert place.run(Acting(told(place, writes("one\n", f"{ASKS}\n{asks}")))) == 5
    assert ends(place) == [(Outcome.BLOCKED, None)]
    (left,) = checkpoints(place)
    assert left.state.blocked[0].reason == "Left or right?"
    assert left.recovery.salvage.startswith("refs/ralph/salvage/")


def test_a_phase_that_is_complete_is_a_reason_of_its_own(place: Light) -> None:
    tests = "<checkpoint>\nphase: testing\ndecisions: a\n</checkpoint><handoff>tests next</handoff>"
    agent = Acting(
        writes("one\n", tests), writes("two\n", tests), writes("three\n", "Task A complete")
    )
    assert place.run(agent) == 0
    phase, request = HandoffTrigger.PHASE_COMPLETE, HandoffTrigger.EXPLICIT_REQUEST
    assert [end[1] for end in ends(place)] == [phase, request, None]
    assert "Phase: testing." in section(agent.jobs[1])


def test_handoffs_that_move_on_are_no_lack_of_progress(place: Light) -> None:
    acts = [writes(f"{n}\n", ASKS) for n in range(6)]
    assert place.run(Acting(*acts, writes("end\n", "Task A complete"))) == 0
    assert place.state.run.handoffs == 6


def test_handoffs_without_a_change_become_failures_and_then_a_question(place: Light) -> None:
    place.loop = replace(place.loop, max_iterations=30)
    assert place.run(Acting(lambda _: ASKS)) == 5
    handed = (Outcome.INTERRUPTED, HandoffTrigger.EXPLICIT_REQUEST)
    assert ends(place)[:4] == [handed, handed, (Outcome.FAILED, None), handed]
    assert "without a change" in place.events(e.IterationEnded)[2].why
    assert place.events(e.Escalated)


def test_what_was_rolled_back_is_not_told_as_done(place: Light) -> None:
    place.loop = replace(place.loop, max_attempts=1)
    place.check = "grep -q good A.txt"
    bad = Acting(writes("bad\n", f"{BLOCK}Task A complete"))
    assert place.run(bad) == 5
    place.record(e.TaskRetried("A", "Start afresh.", "ada"))
    good = Acting(writes("good\n", "Task A complete"))
    assert place.run(good) == 0
    assert not section(good.jobs[0])


# After a kill


def dies_in(number: int) -> Callable[[Job], str]:
    def act(job: Job) -> str:
        writes(f"{job.iteration}\n", "")(job)
        if job.iteration == number:
            raise Killed
        return ASKS

    return act


def test_after_a_kill_the_next_agent_gets_the_latest_checkpoint(place: Light) -> None:
    with pytest.raises(Killed):
        place.run(Acting(dies_in(2)))
    assert len(checkpoints(place)) == 1
    agent = Acting(writes("end\n", "Task A complete"))
    assert place.run(agent) == 0
    for words in ("- the first half", "- write the second half", "Ralph was killed"):
        assert words in section(agent.jobs[0])
    assert place.held("A.txt") == "1\n2\nend"
    assert [one.metadata.iteration for one in checkpoints(place)] == [1, 2, 3]


def test_a_kill_in_the_first_iteration_leaves_one_as_well(place: Light) -> None:
    with pytest.raises(Killed):
        place.run(Acting(dies_in(1)))
    agent = Acting(writes("end\n", "Task A complete"))
    assert place.run(agent) == 0
    assert "Ralph was killed" in section(agent.jobs[0])


def test_damaged_ones_are_passed_over(place: Light) -> None:
    with pytest.raises(Killed):
        place.run(Acting(dies_in(3)))
    entries = place.ledger.store.entries
    newest = [n for n, entry in enumerate(entries) if entry.kind == "CheckpointSaved"][-1]
    body = entries[newest].body.replace(b"halves, because", b"nonsense, because")
    entries[newest] = entries[newest]._replace(body=body)
    agent = Acting(writes("end\n", "Task A complete"))
    assert place.run(agent) == 0
    assert "- halves, because" in section(agent.jobs[0])
    assert "nonsense" not in agent.jobs[0].prompt


def test_a_new_task_is_told_nothing_of_another(place: Light) -> None:
    place.write_plan([story("A"), story("B")])
    agent = Acting(writes("one\n", ASKS), does("A"), does("B"))
    assert place.run(agent) == 0
    assert [bool(section(job)) for job in agent.jobs] == [False, True, False]
