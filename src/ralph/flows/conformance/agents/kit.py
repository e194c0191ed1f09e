"""What the agents share: how one starts, works, claims and touches the plan."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

TASK = "US-001"
PLAN = "PRD.json"
SOURCE = "calculator.py"
TESTS = "test_calculator.py"
NOTES = "notes.txt"
"""The user's own file, which git does not know."""

WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"

CALLS = "calls"
ALIVE = "alive"
PLANTED = "planted"
ENVIRONMENT = "environment"
SUMMARY = "The story does not say what add() may be given"
QUESTION = "Should add() refuse numbers that are written as text?"
FORGER = "Eve"


def state() -> Path:
    """The folder for traces."""
    return Path(sys.argv[1])


def start() -> int:
    """Leave a trace, hear the prompt out; which call this is, from 1."""
    # A lock lasts as long as any process that has inherited it, in whatever namespace.
    alive = os.open(state() / ALIVE, os.O_RDONLY)
    fcntl.flock(alive, fcntl.LOCK_SH)
    os.set_inheritable(alive, True)
    with (state() / CALLS).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    if not sys.stdin.isatty():
        sys.stdin.buffer.read()
    return len((state() / CALLS).read_text(encoding="utf-8").splitlines())


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def claim() -> None:
    """The words that harnesses listen for."""
    say(f"All tests pass.\nTask {TASK} complete\n<promise>COMPLETE</promise>")


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def append(name: str, text: str) -> None:
    with Path(name).open("a", encoding="utf-8") as file:
        file.write(text)


def replace(name: str, old: str, new: str) -> None:
    write(name, Path(name).read_text(encoding="utf-8").replace(old, new))


def repair() -> None:
    """What the task asks for."""
    write(SOURCE, RIGHT)


def read_plan() -> dict[str, Any]:
    plan: dict[str, Any] = json.loads(Path(PLAN).read_text(encoding="utf-8"))
    return plan


def write_plan(plan: dict[str, Any]) -> None:
    write(PLAN, json.dumps(plan, indent=2) + "\n")


def tick() -> None:
    """Mark the task as done in the plan."""
    replace(PLAN, '"passes": false', '"passes": true')


def git(*arguments: str) -> str:
    who = ("-c", f"user.name={FORGER}", "-c", "user.email=eve@example.org")
    done = subprocess.run(
        ("git", *who, *arguments), check=False, capture_output=True, text=True, encoding="utf-8"
    )
    return done.stdout.strip()
