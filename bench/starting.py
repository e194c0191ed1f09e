"""How long it takes until something happens."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from bench.figures import against_floor, at_most, interleaved
from bench.ground import AGENT, RALPH, ground

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure
    from bench.ground import Ground

ROUNDS = 21
BARE = (sys.executable, "-I", "-c", "pass")


def commands(folder: Path) -> Iterator[Figure]:
    place = ground(folder)
    place.run("--max-iterations", "2")
    for shown, arguments, limit in (
        ("--version", ("--version",), 1.5),
        ("status", ("status",), 12),
    ):
        floor, ours = interleaved(
            partial(_start, place, BARE),
            partial(_start, place, (*RALPH, *arguments)),
            ROUNDS,
        )
        yield against_floor(f"ralph {shown}, against python -I -c pass", floor, ours, limit)


def first_agent(folder: Path) -> Iterator[Figure]:
    """From the shell to the agent's first instruction, with the base checks (`true`) on."""
    place = ground(folder, tasks=20, agent=f"date +%s.%N > began\n{AGENT}")
    # between walls an agent writes to its workspace alone
    (place.root / ".git" / "info" / "exclude").write_text("began\n", encoding="utf-8")
    times = [_until_agent(place, place.root / "began") for _ in range(9)]
    yield at_most("start of a run to the first agent process", median(times), 250)


def _until_agent(place: Ground, mark: Path) -> float:
    mark.unlink(missing_ok=True)
    began = time.time()
    _start(place, _run(place))
    return (float(mark.read_text(encoding="utf-8")) - began) * 1000


def _run(place: Ground) -> tuple[str, ...]:
    agent = ("--agent-command", f"sh {place.agent_file}")
    return (*RALPH, "run", "PRD.json", *agent, "--verify", "true", "--once", "--json")


def _start(place: Ground, argv: tuple[str, ...], codes: tuple[int, ...] = (0,)) -> None:
    done = subprocess.run(
        argv, cwd=place.root, env=place.environment, capture_output=True, check=False
    )
    assert done.returncode in codes, done.stderr.decode()
