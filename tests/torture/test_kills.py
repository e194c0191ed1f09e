"""kill -9 of the whole process tree, again and again: nothing is lost, doubled or left half."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.support.chance import FULL, seeded
from tests.support.project import PATIENCE
from tests.support.victim import Victim, Watch, all_proven, no_harm

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

STORIES = 20
KILLS = 100 if FULL else 8
PHASES = {"RunStarted", "IterationStarted", "Claimed", "AboutToCommit"}
"""The last event before the preparations, the agent, the checks and the landing."""
"""In each of the two modes."""
ROUNDS = 20 if FULL else 1
"""Of kills at events, in each of the two modes."""
KINDS = (
    "RunStarted",
    "IterationStarted",
    "AgentFinished",
    "Claimed",
    "Verified",
    "AboutToCommit",
    "Settled",
    "IterationEnded",
    "Decided",
)
RECOVERY = ("Salvaged", "Recovered", "RunStarted", "BaseChecked")


@pytest.fixture
def chance() -> random.Random:
    return seeded()


@pytest.fixture(params=["in place", "worktree"])
def worktree(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "worktree")


@dataclass(frozen=True, slots=True)
class Pace:
    """How long things take here, so that the kills spread over all of them."""

    start: float
    whole: float

    @property
    def iteration(self) -> float:
        return (self.whole - self.start) / STORIES


def measured(folder: Path, *, worktree: bool) -> Pace:
    """A run that nobody kills: it also shows that the conditions can hold at all."""
    victim = Victim(folder, STORIES, worktree=worktree)
    began = time.time()
    assert victim.go().wait(PATIENCE) == 0
    whole = time.time() - began
    all_proven(victim, STORIES)
    assert victim.outcomes() == ["success"] * STORIES
    watch = Watch(victim)
    first = watch.when("IterationStarted")
    watch.close()
    return Pace(first - began, whole)


def lives_for(victim: Victim, process: subprocess.Popen[str], seconds: float) -> bool:
    """Whether it is still at work after that time."""
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    assert code == 0, victim.said.read_text()[-3000:]
    return False


def kill_until(
    victim: Victim, moment: Callable[[Victim, subprocess.Popen[str]], bool], *, kills: int
) -> list[str]:
    """Start, kill when `moment` says so, look, and again; after which event each kill came."""
    caught: list[str] = []
    seen = victim.rows()
    while len(caught) < kills:
        process = victim.go()
        if not moment(victim, process):
            break
        victim.kill(process)
        no_harm(victim, seen)
        seen = victim.rows()
        caught.append(seen[-1][0] if seen else "nothing")
    return caught


def some(chance: random.Random, points: int, few: int) -> Sequence[int]:
    """All of them, or a few in the short version."""
    every = range(1, points + 1)
    return every if FULL else sorted(chance.sample(every, few))


def finish(victim: Victim, stories: int = STORIES) -> None:
    done = victim.run()
    assert done.code == 0, f"{done.out}\n{done.err}"
    all_proven(victim, stories)


def test_kills_at_random_moments(tmp_path: Path, chance: random.Random, worktree: bool) -> None:
    pace = measured(tmp_path / "control", worktree=worktree)
    early, late = pace.start + 2 * pace.iteration, pace.whole / 2

    def moment(victim: Victim, process: subprocess.Popen[str]) -> bool:
        return lives_for(victim, process, chance.uniform(0, chance.choice((early, late))))

    caught: list[str] = []
    # a phase of a millisecond takes some luck
    while len(caught) < KILLS or (FULL and not set(caught) >= PHASES and len(caught) < 3 * KILLS):
        victim = Victim(tmp_path / f"after-{len(caught)}", STORIES, worktree=worktree)
        caught += kill_until(victim, moment, kills=max(KILLS - len(caught), KILLS // 2))
        finish(victim)
    assert not FULL or set(caught) >= PHASES, "the kills must come in all phases"


def test_kills_at_events_and_during_the_recovery(
    tmp_path: Path, chance: random.Random, worktree: bool
) -> None:
    for number in range(ROUNDS):
        victim = Victim(tmp_path / f"{number}", STORIES, worktree=worktree)
        watch = Watch(victim)
        for kind in chance.sample(KINDS, len(KINDS)):
            seen = victim.rows()
            first = victim.go()
            watch.wait(first, kind, 1 + chance.randrange(2))
            victim.kill(first)
            no_harm(victim, seen)
            second = victim.go()
            watch.wait(second, chance.choice(RECOVERY), 1, seconds=chance.uniform(0, 1))
            victim.kill(second)
            no_harm(victim, seen)
        watch.close()
        finish(victim)


@pytest.mark.parametrize("mode", ["in place", "worktree", "private plan"])
def test_a_kill_before_every_single_step(tmp_path: Path, chance: random.Random, mode: str) -> None:
    """A run of two stories dies right before each thing it does; in the recovery it dies again."""
    make = partial(
        Victim, stories=2, worktree=mode == "worktree", private_plan=mode == "private plan"
    )
    first = make(tmp_path / "control")
    points = step_by_step(first, 0)
    all_proven(first, 2)
    assert points > 100
    for point in some(chance, points, 6):
        victim = make(tmp_path / f"{point}")
        step_by_step(victim, point)
        seen = victim.rows()
        no_harm(victim, ())
        again = chance.randrange(1, points)
        print(f"killed before step {point}, then before step {again}")  # noqa: T201
        step_by_step(victim, again)
        no_harm(victim, seen)
        finish(victim, 2)


def step_by_step(victim: Victim, point: int) -> int:
    """Run until right before this step, or to the end; how many steps that took, at the end."""
    done = victim.harmed("kill", point)
    victim.kill()
    if done.code == -signal.SIGKILL:
        return 0
    assert done.code == 0, f"{done.out}\n{done.err}"
    return victim.steps()


def test_no_space_from_some_step_on(tmp_path: Path, chance: random.Random, worktree: bool) -> None:
    """Each write fails, and all after it: a clear message, no false end, and it goes on later."""
    first = Victim(tmp_path / "control", 2, worktree=worktree)
    assert first.harmed("full", 0).code == 0
    points = first.steps()
    assert points > 40
    for point in some(chance, points, 4):
        print(f"no space from step {point} on")  # noqa: T201
        victim = Victim(tmp_path / f"{point}", 2, worktree=worktree)
        done = victim.harmed("full", point)
        assert done.code in {0, 1}, f"{done.out}\n{done.err}"
        assert done.code == 0 or "full" in done.err, done.err
        assert len(done.err.splitlines()) <= 3, done.err
        no_harm(victim, ())
        finish(victim, 2)
