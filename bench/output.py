"""What a talkative agent costs."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from bench.figures import at_least, at_most, milliseconds
from bench.ground import RALPH, ground

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure

MEGABYTES = 1024
TALK = """\
import os, sys
data = b"a line of output as an agent might print it while it works on its task\\n" * 16384
left = int(sys.argv[1]) << 20
while left > 0:
    left -= os.write(1, data[:left])
"""
ROUNDS = 7


def ten_megabytes(folder: Path) -> Iterator[Figure]:
    """The same program silent and talkative, so that only the output differs."""
    program = folder / "talk.py"
    program.write_text(TALK, encoding="utf-8")
    pairs = [
        (_agent_seconds(folder, program, 0), _agent_seconds(folder, program, 10))
        for _ in range(ROUNDS)
    ]
    more = median(after for _, after in pairs) - median(before for before, _ in pairs)
    yield at_most("10 MB of output, more than none", more * 1000, 50)


def one_gigabyte(folder: Path) -> Iterator[Figure]:
    program = folder / "talk.py"
    program.write_text(TALK, encoding="utf-8")
    _agent_seconds(folder, program, 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = _agent_seconds(folder, program, MEGABYTES)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    yield at_least("1 GB of output", MEGABYTES / seconds, 200, "MB/s")
    yield at_most("1 GB of output, memory", grown / 1024, 64, "MB")


def _agent_seconds(folder: Path, program: Path, megabytes: int) -> float:
    from ralph.agents.command import CommandAgent
    from ralph.agents.line import Line
    from ralph.domain.job import Job

    agent = CommandAgent("bench", (sys.executable, "-I", "-S", str(program), str(megabytes)))
    job = Job(
        prompt="Work.",
        prompt_file=str(folder / "prompt.md"),
        workspace=str(folder),
        task="US-001",
        iteration=1,
        attempt=1,
        run="bench",
        log=str(folder / "log.txt"),
        wall_seconds=600,
        idle_seconds=600,
        log_cap=64 << 20,
    )
    answer = asyncio.run(agent.run(job, Line()))
    assert answer.output_bytes == megabytes << 20
    return answer.seconds


def idle(folder: Path) -> Iterator[Figure]:
    """A run whose agent says nothing: what `ralph` itself takes meanwhile."""
    place = ground(folder, agent="echo $PPID > pid; sleep 600\n")
    command = (*RALPH, "run", "PRD.json", "--agent-command", f"exec sh {place.agent_file}")
    process = subprocess.Popen(
        (*command, "--verify", "true", "--json"),
        cwd=place.root,
        env=place.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(place.root / "pid")
        before = _processor_seconds(process.pid)
        took = milliseconds(lambda: time.sleep(5)) / 1000
        share = (_processor_seconds(process.pid) - before) / took * 100
        yield at_most("idle run, memory", _resident(process.pid), 60, "MB")
        yield at_most("idle run, processor", share, 0.5, "%")
    finally:
        process.terminate()
        process.wait()


def _wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.05)


def _resident(pid: int) -> float:
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:  # noqa: PTH123 - not a real file
        line = next(line for line in file if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _processor_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123 - not a real file
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
