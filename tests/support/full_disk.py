"""A run on a disk that has too little room, and the same run when there is room again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.box import small_disk
from tests.support.complaints import FINISHED, MISTAKE, WAITING, assert_complaint
from tests.support.project import Project
from tests.support.victim import AGENT, CHECK

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.box import Box

STORIES = 2
SIZE = 6_000
"""Kilobytes of the small disk; what Ralph and git need for two stories fits."""
PLACES = ("everything", "the repository", "Ralph's home")


def careful(folder: Path) -> Project:
    """Its agent and its check notice what could not be written."""
    # nobody looks after the disk: it runs full in the middle of something
    settings = {"loop": {"backoff_cap_seconds": 0}, "safety": {"free_mb": 0}}
    agent = f"set -e\n{AGENT}"
    project = Project(folder, STORIES, agent=agent, verify="sh check.sh", settings=settings)
    project.write("check.sh", CHECK)
    project.commit("checks")
    return project


def run_out_of_space(project: Project, place: str, kilobytes_left: int) -> int:
    """Fill the disk, run, free it, run again; how the first run ended."""
    disk = dict(zip(PLACES, (project.folder, project.root, project.home), strict=True))[place]
    ballast = (disk / ".git" if disk == project.root else disk) / "ballast"
    with small_disk(project, disk, SIZE) as box:
        _fill(box, ballast, kilobytes_left)
        done = box.run()
        assert done.code in {FINISHED, MISTAKE, WAITING}, done.out + done.err
        if done.code == MISTAKE:
            assert_complaint(done, "full", "space")
        assert box.do("rm", str(ballast)).code == 0
        # An agent that had no room failed three times; a person lets it try again.
        for story in ("US-001", "US-002") if done.code == WAITING else ():
            assert box.ralph("retry", "--task", story).code == FINISHED
        again = box.run()
        assert again.code == FINISHED, again.out + again.err
    return done.code


def _fill(box: Box, ballast: Path, kilobytes_left: int) -> None:
    """Write until so much is free."""
    script = (
        f"free=$(df -k --output=avail {ballast.parent} | tail -1);"
        f"head -c $(( (free - {kilobytes_left}) * 1024 )) /dev/zero > {ballast}"
    )
    done = box.do("sh", "-c", script)
    assert done.code == 0, done.err
