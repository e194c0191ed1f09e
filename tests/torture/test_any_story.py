"""Any order of agents, kills, people and clocks: plan, ledger and branch agree at every moment."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.support.chance import FULL
from tests.support.house import BRANCH, Acting, Killed, Place, story

from ralph.domain import event as e
from ralph.domain.question import Choice, Reply
from ralph.domain.settings import LoopSettings
from ralph.loop.run import Asked
from ralph.views.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.job import Job

pytestmark = [pytest.mark.torture, pytest.mark.timeout(7200)]

ESCALATION = '<escalate type="stuck"><summary>Which way?</summary></escalate>'
MINE = "the user's own\n"
DONE, LIMIT, WAITING, STOPPED = 0, 4, 5, 6


def honest(job: Job) -> str:
    place = Path(job.workspace)
    (place / "broken").unlink(missing_ok=True)
    (place / f"{job.task}.txt").write_text(f"{job.task} in iteration {job.iteration}\n")
    return f"Task {job.task} complete"


def breaks(job: Job) -> str:
    (Path(job.workspace) / "broken").write_text(f"{job.iteration}\n")
    return f"Task {job.task} complete"


def lies(job: Job) -> str:
    return f"Task {job.task} complete"


def asks(job: Job) -> str:
    (Path(job.workspace) / f"{job.task}.half").write_text("half\n")
    return ESCALATION


def dies(job: Job) -> str:
    (Path(job.workspace) / f"{job.task}.half").write_text("half\n")
    raise Killed


ACTS = {act.__name__: act for act in (honest, breaks, lies, asks, dies)}


def after(events: int) -> Callable[[Any], None]:
    """A kill when so many events were written."""
    left = [events]

    def watch(_: e.Recorded) -> None:
        left[0] -= 1
        if not left[0]:
            raise Killed

    return watch


class Story(RuleBasedStateMachine):
    """One repository: what happens to it, and what must hold whatever happened."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="ralph-story-"))
        loop = LoopSettings(backoff_cap_seconds=0, max_attempts=2, max_iterations=6)
        self.place = Place(self.folder, [story("A"), story("B", "A"), story("C")], loop=loop)
        (self.place.root / "mine.txt").write_text(MINE)
        self.seen: list[str] = []

    def teardown(self) -> None:
        try:
            self._comes_to_its_end()
        finally:
            shutil.rmtree(self.folder)

    def _run(self, *acts: str, kill: int = 0) -> None:
        try:
            watch = after(kill) if kill else None
            code = self.place.run(Acting(*(ACTS[name] for name in acts)), watch=watch)
            assert code in {DONE, LIMIT, WAITING, STOPPED}
        except Killed:
            pass

    @rule(acts=st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=3))
    def works(self, acts: list[str]) -> None:
        self._run(*acts)

    @rule(
        acts=st.lists(st.sampled_from(sorted(ACTS)), min_size=1, max_size=2),
        kill=st.integers(1, 25),
    )
    def is_killed(self, acts: list[str], kill: int) -> None:
        self._run(*acts, kill=kill)

    @rule(kill=st.integers(1, 6))
    def is_killed_while_it_recovers(self, kill: int) -> None:
        self._run("honest", kill=kill)
        self._run("honest", kill=kill)

    @rule(seconds=st.sampled_from([-3 * 86_400.0, -60.0, 7_200.0, 86_400.0]))
    def the_clock_jumps(self, seconds: float) -> None:
        self.place.clock.now += seconds

    @precondition(lambda self: self.place.state.questions)
    @rule(
        data=st.data(),
        reply=st.sampled_from(
            [
                Reply(Choice.OPTION, option=1),
                Reply(Choice.GUIDANCE, text="go left"),
                Reply(Choice.RETRY),
                Reply(Choice.SKIP),
            ]
        ),
    )
    def a_person_answers(self, data: st.DataObject, reply: Reply) -> None:
        name = data.draw(st.sampled_from(sorted(self.place.state.questions)))
        self.place.record(e.Answered(name, reply, "ada"))

    @precondition(lambda self: self.place.state.run.id)
    @rule(task=st.sampled_from("ABC"))
    def a_person_wants_it_again(self, task: str) -> None:
        self.place.record(e.TaskRetried(task, "once more", "ada"))

    @precondition(lambda self: self.place.state.run.id)
    @rule(task=st.sampled_from("ABC"))
    def a_person_skips(self, task: str) -> None:
        self.place.record(e.TaskSkipped(task, "not now", "ada"))

    @invariant()
    def nothing_written_is_lost(self) -> None:
        now = [recorded.hash for recorded in self.place.ledger.peer().read("p")]
        assert now[: len(self.seen)] == self.seen
        self.seen = now

    @invariant()
    def the_users_own_is_untouched(self) -> None:
        assert (self.place.root / "mine.txt").read_text() == MINE

    @invariant()
    def the_state_is_the_fold_of_the_ledger(self) -> None:
        assert self.place.state == fold(self.place.ledger.peer().read("p"))

    @invariant()
    def what_is_settled_is_on_the_branch_once(self) -> None:
        settled = [one.commit for one in self.place.events(e.Settled)]
        if not settled:
            return
        commits = self.place.git("log", "--format=%H", f"main..{BRANCH}").splitlines()
        assert set(settled) <= set(commits)
        assert all(count == 1 for count in Counter(settled).values())

    @invariant()
    def an_iteration_ends_once(self) -> None:
        started = [one.iteration for one in self.place.events(e.IterationStarted)]
        ended = [one.iteration for one in self.place.events(e.IterationEnded)]
        assert started == list(range(1, len(started) + 1))
        assert len(ended) == len(set(ended))
        open_one = self.place.state.open_iteration
        assert set(started) - set(ended) <= ({open_one.iteration} if open_one else set())

    @invariant()
    def no_question_is_lost(self) -> None:
        put = {one.question.id for one in self.place.events(e.Escalated)}
        answered = {one.question for one in self.place.events(e.Answered)}
        assert put - answered <= self.place.state.questions.keys() | self._withdrawn()

    def _withdrawn(self) -> set[str]:
        """Questions about tasks that a person skipped or wants again."""
        touched = {
            *(one.task for one in self.place.events(e.TaskSkipped)),
            *(one.task for one in self.place.events(e.TaskRetried)),
        }
        asked = self.place.events(e.Escalated)
        return {one.question.id for one in asked if one.question.task in touched}

    def _comes_to_its_end(self) -> None:
        """Honest agents and a person who answers: every story ends."""
        for _ in range(8):
            for name in sorted(self.place.state.questions):
                self.place.record(e.Answered(name, Reply(Choice.RETRY), "ada"))
            if self.place.state.run.id:  # B depends on A
                self.place.record(e.TaskRetried("A", "not skipped after all", "ada"))
            if self.place.run(Acting(honest), asked=Asked()) == DONE:
                break
        else:
            raise AssertionError(f"it does not come to its end: {self.place.state.run.why}")
        self.what_is_settled_is_on_the_branch_once()
        self.nothing_written_is_lost()


Story.TestCase.settings = settings(
    max_examples=150 if FULL else 5,
    stateful_step_count=12 if FULL else 6,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestStory = Story.TestCase
