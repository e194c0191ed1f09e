"""A disk that is nearly full: nothing new is begun, and the run continues when there is room."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from tests.support.box import small_disk
from tests.support.project import FINISH, Project, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.box import Box
    from tests.support.project import Done

SIZE = 12_000
"""Kilobytes of the disk."""
FREE_MB = 6
LIMIT = 4


def project_with(folder: Path, *, minutes: float, agent: str = FINISH) -> Project:
    loop = {"backoff_cap_seconds": 0, "max_wait_minutes": minutes}
    settings = {"loop": loop, "safety": {"free_mb": FREE_MB}}
    return Project(folder / "small", agent=agent, settings=settings)


def fill(box: Box, megabytes: int) -> Path:
    ballast = box.project.folder / "ballast"
    assert box.do("sh", "-c", f"head -c {megabytes << 20} /dev/zero > {ballast}").code == 0
    return ballast


def waits(box: Box) -> bool:
    return "is free on the disk of the repository" in box.ralph("status").out


def test_it_waits_and_continues_by_itself(tmp_path: Path) -> None:
    project = project_with(tmp_path, minutes=5)
    with small_disk(project, project.folder, SIZE) as box, ThreadPoolExecutor() as pool:
        ballast = fill(box, 8)
        running = pool.submit(box.run)
        wait_until(lambda: waits(box), "the wait")
        assert not box.do("cat", str(project.state / "calls")).out, "no agent is started meanwhile"
        assert box.do("rm", str(ballast)).code == 0
        done: Done = running.result()
        assert done.code == 0, done.out + done.err
    assert "Free some space; the run then continues by itself." in done.out
    assert project.passed() == ["US-001"]


def test_it_does_not_wait_for_ever(tmp_path: Path) -> None:
    project = project_with(tmp_path, minutes=0.03)
    with small_disk(project, project.folder, SIZE) as box:
        ballast = fill(box, 8)
        done = box.run()
        assert done.code == LIMIT, done.out + done.err
        assert "the disk is nearly full" in done.out
        assert "is free on the disk of the repository" in done.out
        assert box.do("rm", str(ballast)).code == 0
        again = box.run()
        assert again.code == 0, again.out + again.err
    assert project.passed() == ["US-001"]


def test_an_agent_that_fills_the_disk_is_ended(tmp_path: Path) -> None:
    """It costs the task no attempt, and what it did until then stays for the next agent."""
    hungry = "if [ $n = 1 ]; then head -c 9M /dev/zero > big; echo half > work; sleep 60; fi\n"
    project = project_with(tmp_path, minutes=5, agent=hungry + FINISH)
    with small_disk(project, project.folder, SIZE) as box, ThreadPoolExecutor() as pool:
        running = pool.submit(box.run)
        wait_until(lambda: waits(box), "the wait")
        assert box.do("rm", "big").code == 0
        done: Done = running.result()
        assert done.code == 0, done.out + done.err
    assert "The agent was stopped: only" in done.out
    assert [call[1] for call in project.calls()] == ["US-001", "US-001"]
    assert [one["trouble"] for one in project.events("AgentFinished")] == ["disk", None]
    assert project.git("show", "ralph/journey:work") == "half"
