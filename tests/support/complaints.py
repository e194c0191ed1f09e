"""What every error must look like, and what must hold when it has been put right."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Done, Project

FINISHED = 0
MISTAKE = 1
WAITING = 5


def assert_complaint(done: Done, *words: str, code: int = MISTAKE) -> None:
    """One short message for a person, and nothing else."""
    assert done.code == code, f"{done.code}: {done.out}\n{done.err}"
    lines = done.err.strip().splitlines()
    assert 1 <= len(lines) <= 3, done.err
    assert lines[0].startswith("error: "), done.err
    assert "Traceback" not in done.err + done.out, done.err
    for word in words:
        assert word in done.err, done.err


def assert_nothing_lost(project: Project, stories: int) -> None:
    names = [f"US-{n:03d}" for n in range(1, stories + 1)]
    assert sorted(project.trailers("Ralph-Task")) == names, project.trailers("Ralph-Task")
    assert sorted(e["task"] for e in project.events("Settled")) == names
    assert project.passed() == names, project.passed()
    audit = project.ralph("audit")
    assert audit.code == FINISHED, audit.err
    trouble = project.git("fsck", "--full", "--strict", "--no-dangling")
    assert not trouble, trouble
    left = project.git("status", "--porcelain")
    assert not left, left
