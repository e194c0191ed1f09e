"""A night in small: what can be done is done in the morning, and one page tells it."""

from __future__ import annotations

import os
import re
import shlex
import signal
from typing import TYPE_CHECKING

from tests.support.box import ROOT, small_disk
from tests.support.project import BLOCK, FINISH, PATIENCE, Project, wait_until
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.box import Box

TASKS = 30
WAITING = 5
SIZE = 24_000
"""Kilobytes of the disk."""
SETTINGS = {
    "loop": {"backoff_cap_seconds": 0.05, "ask_seconds": 0.5, "max_wait_minutes": 5},
    "safety": {"free_mb": 6},
}
AGENT = f"""\
first() {{ [ ! -e "$state/$1" ] && touch "$state/$1"; }}
wait_for() {{ while [ ! -e "$state/$1" ]; do sleep 0.02; done; }}
case $RALPH_TASK_ID in
US-003) if first asked; then
{BLOCK}exit 0; fi;;
US-006) if first hung; then wait_for hung-up; fi;;
US-009) if first limit; then
  echo "Claude AI usage limit reached|$(($(date +%s) + 2))"; exit 1; fi;;
US-012) if first crash; then kill -SEGV $$; fi;;
US-015) if first stopped; then exit 143; fi;;
US-018) if first disk; then head -c 18M /dev/zero > big; sleep 60; fi;;
US-024) if first killed; then wait_for never; fi;;
esac
{FINISH}"""


def inside(box: Box) -> tuple[str, ...]:
    """What starts a program where the small disk is."""
    mine = () if ROOT else ("--user", "--preserve-credentials")
    go = f'cd {shlex.quote(str(box.project.root))} && exec "$@"'
    return ("nsenter", "--mount", f"--target={box.pid}", *mine, "sh", "-c", go, "sh")


def has(box: Box, name: str) -> bool:
    return box.do("test", "-e", str(box.project.state / name)).code == 0


def test_everything_that_could_be_done_is_done_in_the_morning(tmp_path: Path) -> None:
    project = Project(tmp_path / "night", TASKS, agent=AGENT, settings=SETTINGS)
    with small_disk(project, project.folder, SIZE) as box:
        with Terminal(project, *project.arguments(), prefix=inside(box)) as evening:
            evening.wait_for("Q1 is parked")
            wait_until(lambda: has(box, "hung"), "the task at which the terminal is lost")
            evening.hang_up()
            box.do("touch", str(project.state / "hung-up"))
            wait_until(lambda: "is free on the disk" in box.ralph("status").out, "the full disk")
            assert box.do("rm", "big").code == 0
            wait_until(lambda: has(box, "killed"), "the task at which it is killed")
            os.kill(box.ralph("status", "--json").json()["running_pid"], signal.SIGKILL)
            evening.process.wait(timeout=PATIENCE)
        night = box.run()
        assert night.code == WAITING, night.out + night.err
        report = box.ralph("report").out
        questions = box.ralph("inbox", "--json").json()
        assert box.ralph("answer", "Q1", "1").code == 0
        assert box.run().code == 0

    assert [one["id"] for one in questions] == ["Q1"]
    assert f"Done: {TASKS - 1}/{TASKS}" in report
    assert re.search(r"\? US-003 .*\(parked: The old API is deprecated\)", report)
    assert "Take it over: `git switch main`, then `git merge ralph/journey`" in report
    assert len(project.passed()) == TASKS
    assert sorted(project.trailers("Ralph-Task")) == sorted(project.passed()), "each landed once"
    assert not [*(project.home / "crashes").glob("*")]
    met = {event["trouble"] for event in project.events("AgentFinished")}
    assert met >= {None, "usage_limit", "disk"}
