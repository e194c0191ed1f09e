"""Other ways to be ended: signals at any moment, a second Ralph, agents that do not want to die."""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.chance import FULL, seeded
from tests.support.project import PATIENCE, RALPH, wait_until
from tests.support.victim import Victim, Watch, all_proven, no_harm

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(1800)]

STORIES = 6
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) * (15 if FULL else 1)
LEFT_NOW = 130
STOPPED = 6

STUBBORN = """\
trap '' INT TERM HUP
setsid sh -c "trap '' INT TERM HUP; sleep 3600 & (setsid sleep 3600 &) ; wait" &
echo started > "$state/started"
sleep 3600 & wait; wait
"""
"""Ignores every signal and leaves children in sessions of their own."""


@pytest.fixture(params=["in place", "worktree"])
def worktree(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "worktree")


def finish(victim: Victim) -> None:
    done = victim.run()
    assert done.code == 0, f"{done.out}\n{done.err}"
    all_proven(victim, STORIES)


def test_signals_at_random_moments(tmp_path: Path, worktree: bool) -> None:
    chance = seeded()
    for number, name in enumerate(SIGNALS):
        victim = Victim(tmp_path / f"{number}", STORIES, worktree=worktree)
        watch = Watch(victim)
        process = victim.go()
        watch.wait(process, "RunStarted", 1)
        watch.wait(process, "no such event", 1, seconds=chance.uniform(0, 0.6))
        process.send_signal(name)
        code = process.wait(PATIENCE)
        watch.close()
        wanted = STOPPED if name == signal.SIGINT else LEFT_NOW
        assert code in {wanted, 0}, victim.said.read_text()
        assert "Traceback" not in victim.said.read_text()
        assert not victim.tree()
        assert victim.events("RunEnded"), "it came to its end in good order"
        no_harm(victim, ())
        finish(victim)


def test_a_signal_before_anything_is_ready(tmp_path: Path, worktree: bool) -> None:
    victim = Victim(tmp_path / "p", STORIES, worktree=worktree)
    for number, name in enumerate(SIGNALS):
        process = victim.go()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.03 * (number % 6 + 1))
        process.send_signal(name)
        process.wait(PATIENCE)
        assert not victim.tree()
        no_harm(victim, ())
    finish(victim)


def test_the_second_interrupt_leaves_now(tmp_path: Path, worktree: bool) -> None:
    victim = Victim(tmp_path / "p", STORIES, worktree=worktree)
    calm = victim.script.read_text()
    victim.agent("mkdir -p out; printf half > out/US-001.txt; echo > $state/started; sleep 3600\n")
    process = victim.go()
    wait_until((victim.state / "started").exists, "the agent")
    process.send_signal(signal.SIGINT)
    wait_until(lambda: bool(victim.events("StopRequested")), "the request to stop")
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == LEFT_NOW
    assert not victim.tree()
    assert victim.refs("refs/ralph/salvage/"), "the unfinished work is kept"
    no_harm(victim, ())
    victim.script.write_text(calm)
    finish(victim)


def test_no_agent_outlives_a_killed_ralph(tmp_path: Path, worktree: bool) -> None:
    victim = Victim(tmp_path / "p", STORIES, worktree=worktree)
    calm = victim.script.read_text()
    victim.agent(STUBBORN)
    process = victim.go()
    wait_until((victim.state / "started").exists, "the agent")
    wait_until(lambda: len(victim.tree()) >= 6, "its children")
    process.kill()
    process.wait(PATIENCE)
    wait_until(lambda: not victim.tree(), "the end of the agent and its children")
    victim.script.write_text(calm)
    finish(victim)


def test_several_at_once(tmp_path: Path, worktree: bool) -> None:
    """One works, the others name it."""
    victim = Victim(tmp_path / "p", STORIES, worktree=worktree)
    crowd = [victim.start() for _ in range(4)]
    said = {process.pid: process.communicate(timeout=PATIENCE) for process in crowd}
    codes = sorted((process.returncode, process.pid) for process in crowd)
    assert [code for code, _ in codes] == [0, 1, 1, 1], said
    holder = codes[0][1]
    for code, pid in codes:
        error = said[pid][1]
        assert (code == 0) == (error == "")
        assert code == 0 or f"pid {holder}" in error, error
        assert len(error.splitlines()) <= 3
    all_proven(victim, STORIES)


def test_one_that_died_holds_nothing(tmp_path: Path, worktree: bool) -> None:
    """A lock is gone with its holder, even if the process number lives on in the file."""
    victim = Victim(tmp_path / "p", STORIES, worktree=worktree)
    process = victim.go()
    wait_until(lambda: bool(victim.events("IterationStarted")), "the first iteration")
    second = victim.ralph("run", "--agent-command", victim.command, "--verify", "true")
    assert second.code == 1
    assert f"pid {process.pid}" in second.err
    victim.kill(process)
    assert (
        subprocess.run((RALPH, "status"), cwd=victim.root, env=victim.env, check=False).returncode
        == 0
    )
    finish(victim)
