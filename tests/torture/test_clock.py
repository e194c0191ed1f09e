"""A clock that is set forward or back while Ralph works, or between two runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.chance import FULL, seeded
from tests.support.project import PATIENCE
from tests.support.victim import Victim, Watch, all_proven

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

LIBRARIES = ("/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1")
JUMPS = ("+2h", "-3d", "+0")
STORIES = 4
ROUNDS = 20 if FULL else 2


class Late(Victim):
    """Its Ralph reads a clock that a file sets; the time that has passed is always the true one."""

    @property
    def env(self) -> dict[str, str]:
        found = [path for pattern in LIBRARIES for path in Path("/").glob(pattern[1:])]
        assert found, "libfaketime is installed by `make test`"
        return {
            **super().env,
            "LD_PRELOAD": str(found[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.folder / "clock"),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def set_clock(self, jump: str) -> None:
        new = self.folder / "clock.new"
        new.write_text(f"{jump}\n")
        new.replace(self.folder / "clock")


def test_the_clock_can_be_set(tmp_path: Path) -> None:
    """Or the other tests would show nothing."""
    victim = Late(tmp_path / "v", 1)
    for jump, seconds in (("+2h", 7_200), ("-3d", -259_200)):
        victim.set_clock(jump)
        looks = victim.ralph("doctor", "--json").json()["diagnoses"]
        [clock] = [one["found"] for one in looks if one["subject"] == "clock"]
        assert time.strftime("%Y-%m-%dT%H", time.gmtime(time.time() + seconds)) in clock


def test_the_clock_jumps_while_it_works(tmp_path: Path) -> None:
    chance = seeded()
    for number in range(ROUNDS):
        victim = Late(tmp_path / f"{number}", STORIES)
        victim.set_clock("+0")
        watch = Watch(victim)
        process = victim.go()
        for jump in (*chance.sample(JUMPS, 2), "-3d", "+2h"):
            watch.wait(process, "IterationStarted", 1)
            time.sleep(chance.uniform(0, 0.2))
            victim.set_clock(jump)
        assert process.wait(PATIENCE) == 0, victim.said.read_text()[-3000:]
        watch.close()
        all_proven(victim, STORIES)
        assert victim.outcomes() == ["success"] * STORIES, "no false time-out"


def test_the_clock_is_set_between_two_runs(tmp_path: Path) -> None:
    for jump in JUMPS:
        victim = Late(tmp_path / jump.strip("+-"), STORIES)
        victim.set_clock("+0")
        assert victim.run("--once").code == 0
        victim.set_clock(jump)
        assert victim.ralph("status").code == 0
        done = victim.run()
        assert done.code == 0, done.err
        all_proven(victim, STORIES)


def test_a_lock_is_held_whatever_the_clock_says(tmp_path: Path) -> None:
    victim = Late(tmp_path / "v", STORIES)
    victim.set_clock("+0")
    watch = Watch(victim)
    first = victim.go()
    watch.wait(first, "IterationStarted", 1)
    for jump in JUMPS[:2]:
        victim.set_clock(jump)
        # its own clock is true: the library cannot sleep by the clock that it leaves alone
        second = victim.run(env={"LD_PRELOAD": ""})
        assert second.code == 1 or first.poll() is not None, second.out
        assert "Another Ralph" in second.err or first.poll() is not None
    assert first.wait(PATIENCE) == 0
    watch.close()
    all_proven(victim, STORIES)
