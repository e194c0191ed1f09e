"""Agents that hang, flood, hide or do not die: the iteration ends, and nothing is left of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.chance import FULL
from tests.support.project import Project
from tests.support.watched import watched

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.watched import Seen

IDLE_SECONDS = 1.2
WALL_SECONDS = 2.4
LADDER_SECONDS = 12
"""What it takes at most to end one that ignores every signal, and to settle the iteration."""
MEMORY = 100
"""Megabytes: a quiet run takes 40, and output may add 64, however much it is."""

LIMITS = {
    "RALPH_LOOP__MAX_IDLE_MINUTES": str(IDLE_SECONDS / 60),
    "RALPH_LOOP__MAX_MINUTES_PER_ITERATION": str(WALL_SECONDS / 60),
    "RALPH_LOGS__MAX_OUTPUT_MB": "1",
}
PATIENT = {"RALPH_LOOP__MAX_IDLE_MINUTES": "1", "RALPH_LOOP__MAX_MINUTES_PER_ITERATION": "1"}

PRELUDE = """\
import json, os, signal, sys, time
out = sys.stdout.buffer
def say(**event):
    out.write(json.dumps(event).encode() + b"\\n"); out.flush()
def words(text):
    say(type="assistant", message={"content": [{"type": "text", "text": text}]})
def claim(text="Task US-001 complete"):
    if CLAUDE: say(type="result", is_error=False, result=text, total_cost_usd=0.25)
    else: out.write(text.encode()); out.flush()
def work():
    os.makedirs("out", exist_ok=True)
    with open("out/US-001.txt", "w") as file: file.write("right\\n")
def deaf():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
def hide():
    '''A process of nobody's: own session, no environment, no parent, deaf.'''
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    deaf()
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2): os.dup2(null, number)
    os.execve("/bin/sleep", ("sleep", "300"), {})
"""


class Hostile(Project):
    """Its agent is a Python program: on its own, or in the place of Claude Code."""

    def __init__(self, folder: Path, code: str, *, claude: bool) -> None:
        program = folder / "program.py"
        program.write_text(f"CLAUDE = {claude}\n{PRELUDE}\n{code}\n", encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(program)]
        own = {"claude": {"command": command}, "agents": {"it": {"command": command}}}
        verify = "test ! -e out/US-001.txt || grep -qx right out/US-001.txt"
        checks = {"verification": {"commands": [["sh", "-c", verify]]}}
        settings = {"agent": "claude" if claude else "it", **own, **checks}
        super().__init__(folder, settings=settings)

    def once(self, **env: str) -> Seen:
        seen = watched(self, "run", "PRD.json", "--once", env={**LIMITS, **env})
        assert seen.left == []
        assert "Traceback" not in seen.said
        return seen

    def trouble(self) -> str | None:
        [event] = self.events("AgentFinished")
        found: str | None = event["trouble"]
        return found


BOTH = pytest.mark.parametrize("claude", [True, False], ids=["claude", "command"])


@BOTH
def test_one_that_hangs_at_the_start_and_ignores_signals(tmp_path: Path, claude: bool) -> None:
    project = Hostile(tmp_path, "deaf(); hide(); time.sleep(300)", claude=claude)
    seen = project.once()
    assert seen.code == 4, seen.said
    assert project.trouble() == "idle"
    assert seen.seconds < IDLE_SECONDS + LADDER_SECONDS
    assert project.passed() == []


def test_one_that_never_ends_and_ignores_signals(tmp_path: Path) -> None:
    code = "deaf(); work()\nwhile True: words('on and on'); time.sleep(0.1)"
    project = Hostile(tmp_path, code, claude=True)
    seen = project.once()
    assert seen.code == 4, seen.said
    assert project.trouble() == "timeout"
    assert seen.seconds < WALL_SECONDS + LADDER_SECONDS
    assert project.refs("refs/ralph/salvage/"), "its work is kept"


def test_one_that_hangs_after_its_result(tmp_path: Path) -> None:
    project = Hostile(tmp_path, "deaf(); hide(); work(); claim(); time.sleep(300)", claude=True)
    seen = project.once(**PATIENT)
    assert seen.code == 0, seen.said
    assert project.trouble() is None
    assert project.passed() == ["US-001"]
    assert seen.seconds < 5 + LADDER_SECONDS
    [event] = project.events("AgentFinished")
    assert event["usage"]["cost_usd"] == 0.25


def test_one_that_leaves_processes_behind(tmp_path: Path) -> None:
    project = Hostile(tmp_path, "work(); hide(); hide(); claim()", claude=False)
    seen = project.once(**PATIENT)
    assert seen.code == 0, seen.said
    assert project.trouble() is None
    assert project.passed() == ["US-001"]


GIGABYTES, MEGABYTES = (10, 3_000) if FULL else (1, 100)
MUCH = f"""\
line = b'all work and no play makes ralph a dull boy' * 700
if CLAUDE:
    line = json.dumps({{"type": "user", "message": {{"content": line.decode()}}}}).encode()
for _ in range(({GIGABYTES} << 30) // len(line) + 1): out.write(line + b"\\n")
"""
LINE = f"""\
for _ in range({MEGABYTES}): out.write(b"x" * (1 << 20))
out.write(b"\\n")
"""
FLOODS = {
    f"{GIGABYTES} GB": (MUCH, GIGABYTES << 30),
    f"a line of {MEGABYTES} MB": (LINE, MEGABYTES << 20),
}


@pytest.mark.parametrize("flood", FLOODS)
@BOTH
def test_one_that_says_too_much(tmp_path: Path, claude: bool, flood: str) -> None:
    code, size = FLOODS[flood]
    project = Hostile(tmp_path, f"work()\n{code}\nclaim()", claude=claude)
    seen = project.once(**PATIENT)
    assert seen.code == 0, seen.said
    assert seen.megabytes < MEMORY
    assert project.passed() == ["US-001"]
    [event] = project.events("AgentFinished")
    assert event["output_bytes"] > size
    assert (project.root / ".ralph/logs/iteration-1.txt").stat().st_size <= 1 << 20


@BOTH
def test_one_that_says_no_text(tmp_path: Path, claude: bool) -> None:
    noise = "out.write(bytes(range(256)) * 40 + b'\\xff\\xfe\\xc3\\n'); out.flush()"
    project = Hostile(tmp_path, f"work(); {noise}; words('caf\\udce9'); claim()", claude=claude)
    seen = project.once(**PATIENT)
    assert seen.code == 0, seen.said
    assert project.passed() == ["US-001"]
    for shown in (("audit",), ("logs",), ("report", "--json")):
        assert project.ralph(*shown).code == 0


@BOTH
def test_one_that_only_makes_noise(tmp_path: Path, claude: bool) -> None:
    project = Hostile(tmp_path, "out.write(os.urandom(300000)); sys.exit(3)", claude=claude)
    seen = project.once(**PATIENT)
    assert seen.code == 4, seen.said
    assert project.trouble() == "process_exit"
    assert project.passed() == []
