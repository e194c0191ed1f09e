"""What Ralph adds around the real Claude Code, and how late it hears of what happens."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
import time
from statistics import median
from typing import TYPE_CHECKING
from unittest import mock

from bench.figures import at_most, percentile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure
    from ralph.agents.claude import ClaudeAgent
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.domain.answer import Answer
    from ralph.domain.job import Job
    from ralph.domain.settings import ClaudeSettings
    from ralph.process import Input

ROUNDS = 9
EVENTS = 400
SPEAK = f"""\
import json, sys, time
sys.stdin.readline()
def say(event):
    sys.stdout.write(json.dumps(event) + "\\n")
    sys.stdout.flush()
for _ in range({EVENTS}):
    time.sleep(0.004)
    content = [{{"type": "text", "text": str(time.monotonic_ns())}}]
    say({{"type": "assistant", "message": {{"content": content}}}})
say({{"type": "result", "is_error": False, "result": "Done."}})
"""


def around(folder: Path) -> Iterator[Figure]:
    """From the job to the program's start, what is done with its output, from its end to ours."""
    parts = list(_parts(folder))
    total = median(before + meanwhile + after for before, meanwhile, after in parts)
    each = [median(values) for values in zip(*parts, strict=True)]
    note = "before {:.1f}, meanwhile {:.1f}, after {:.1f} ms".format(*each)
    yield at_most("around the real Claude Code, per job", total, 30, note=note)
    late = _lateness(folder)
    what = "an event of the agent, until it is heard"
    yield at_most(what, median(late), 5, note=f"99 % within {percentile(late, 0.99):.2f} ms")


def _parts(folder: Path) -> Iterator[tuple[float, float, float]]:
    from ralph.domain.settings import ClaudeSettings
    from ralph.testing import ClaimedUsage, Endpoint, Script, call, say

    turns = (
        call("Bash", ClaimedUsage(1000, 10), command="echo done > file"),
        say("Done.", ClaimedUsage(10, 5)),
    )
    scripts = {f"round-{number}": Script(turns) for number in range(ROUNDS)}
    with Endpoint(scripts) as endpoint:
        for name in scripts:
            variables = endpoint.environment(name)
            own = variables | {"CLAUDE_CONFIG_DIR": str(folder / "config")}
            with mock.patch.dict(os.environ, own):
                yield _timed(ClaudeSettings(env=tuple(variables)), _job(folder))


def _timed(settings: ClaudeSettings, job: Job) -> tuple[float, float, float]:
    """Milliseconds before, while and after the program runs."""
    from ralph.agents import claude
    from ralph.agents.claude_talk import ClaudeTalk
    from ralph.agents.line import Line

    marks: dict[str, float] = {"meanwhile": 0}
    watchers: list[threading.Thread] = []

    class Timed(ClaudeTalk):
        def open(self, process: Input) -> None:
            marks["started"] = time.perf_counter()
            super().open(process)
            watchers.append(_watch(_pid_of(process), marks))

        def hear(self, data: bytes) -> None:
            begun = time.perf_counter()
            super().hear(data)
            marks["meanwhile"] += time.perf_counter() - begun

    with mock.patch.object(claude, "Talk", Timed):
        answer, begun, ended = asyncio.run(_run(claude.ClaudeAgent(settings), job, Line()))
    assert answer.worked, answer
    for watcher in watchers:
        watcher.join()
    parts = (marks["started"] - begun, marks["meanwhile"], ended - marks["exited"])
    before, meanwhile, after = (part * 1000 for part in parts)
    return before, meanwhile, after


def _pid_of(process: Input) -> int:
    pid = process.process.pid  # type: ignore[attr-defined] # only a measurement asks for it
    return int(pid)


async def _run(agent: ClaudeAgent, job: Job, line: Line) -> tuple[Answer, float, float]:
    begun = time.perf_counter()
    answer = await agent.run(job, line)
    return answer, begun, time.perf_counter()


def _watch(pid: int, marks: dict[str, float]) -> threading.Thread:
    """Note when the process ends; it is Ralph who waits for it."""
    handle = os.pidfd_open(pid)

    def watch() -> None:
        select.select([handle], [], [])
        marks["exited"] = time.perf_counter()
        os.close(handle)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def _lateness(folder: Path) -> list[float]:
    """Milliseconds from the moment a program speaks to the moment we hear what it says."""
    from ralph.agents.claude import ClaudeAgent
    from ralph.agents.line import Line
    from ralph.domain.activity import ActivityKind
    from ralph.domain.settings import ClaudeSettings

    program = folder / "speak.py"
    program.write_text(SPEAK, encoding="utf-8")
    late: list[float] = []

    def hear(activity: Activity) -> None:
        if activity.kind is ActivityKind.SAID:
            late.append((time.monotonic_ns() - int(activity.text)) / 1e6)

    command = (sys.executable, "-I", "-S", str(program))
    agent = ClaudeAgent(ClaudeSettings(command))
    asyncio.run(agent.run(_job(folder), Line(hear)))
    assert len(late) == EVENTS
    return late


def _job(folder: Path) -> Job:
    from ralph.domain.job import Job

    workspace = folder / "work"
    workspace.mkdir(exist_ok=True)
    return Job(
        prompt="Do it.",
        prompt_file="",
        workspace=str(workspace),
        task="US-001",
        iteration=1,
        attempt=1,
        run="bench",
        log=str(folder / "log.txt"),
        wall_seconds=600,
        idle_seconds=600,
        log_cap=64 << 20,
    )
