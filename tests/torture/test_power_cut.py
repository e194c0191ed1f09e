"""The power goes at any moment: what Ralph has told is there when the machine starts again.

A disk of its own is an image behind a loop device. What has reached the image when the whole tree
is stopped is what a machine would find; what was only in memory is not in it. The control runs the
same without any flush, and must lose something. Needs root, and runs with `make torture` alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.chance import FULL, seeded
from tests.support.project import wait_until
from tests.support.victim import Victim, all_proven, no_harm

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.torture, pytest.mark.timeout(3600)]

ROUNDS = 40
STORIES = 6
MEGABYTES = 2048
"""Of a file with holes: it takes a few. Ralph waits on a disk with less than 1 GB of room."""
LONGEST = 3.0
"""Seconds until the power goes; the work takes a little longer."""
NO_FLUSHES = "libeatmydata.so"


def call(*argv: object) -> None:
    subprocess.run([str(word) for word in argv], check=True, capture_output=True, timeout=60)


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[None]:
    # nothing is written but what is flushed: the kernel would do the rest every five seconds
    call("mount", "-o", "loop,commit=300", image, place)
    try:
        yield
    finally:
        wait_until(lambda: _unmounted(place), "the disk to be free")


def _unmounted(place: Path) -> bool:
    """What was killed may take a moment to go."""
    return subprocess.run(("umount", str(place)), check=False, capture_output=True).returncode == 0


class Flushless(Victim):
    """Its Ralph and git only seem to flush."""

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "LD_PRELOAD": NO_FLUSHES}


def cut(folder: Path, chance: random.Random, kind: type[Victim]) -> None:
    """One run that loses its power, and what comes after it."""
    assert os.geteuid() == 0, "a disk of its own can only be mounted by root"
    place, image, left = folder / "disk", folder / "image", folder / "left"
    place.mkdir(parents=True)
    call("truncate", "-s", f"{MEGABYTES}M", image)
    call("mkfs.ext4", "-q", "-F", image)
    with mounted(image, place):
        victim = kind(place / "v", STORIES)
        call("sync", "-f", place)
        process = victim.go()
        time.sleep(chance.uniform(0.2, LONGEST))
        victim.halt()
        seen = victim.rows()
        call("cp", "--sparse=always", image, left)
        victim.kill(process)
    with mounted(left, place):
        no_harm(victim, seen)
        done = victim.run()
        assert done.code == 0, done.err
        all_proven(victim, STORIES)


if FULL:

    def test_what_was_told_is_there(tmp_path: Path) -> None:
        chance = seeded()
        for number in range(ROUNDS):
            cut(tmp_path / f"{number}", chance, Victim)
            shutil.rmtree(tmp_path / f"{number}")

    def test_without_flushes_something_is_lost(tmp_path: Path) -> None:
        chance = seeded()
        lost = 0
        for number in range(ROUNDS // 4):
            try:
                cut(tmp_path / f"{number}", chance, Flushless)
            except AssertionError:
                lost += 1
        assert lost, "the other test would not notice it"
