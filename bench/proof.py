"""What full proof costs, against plain green: the same suite run once on a clean checkout."""

from __future__ import annotations

import json
import os
import sys
from statistics import median
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from bench.figures import against_floor
from bench.ground import LIMIT_REACHED, Ground

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.figures import Figure

NO_PLUGINS = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
"""Those of this project's own tests would be loaded by every pytest here."""
TASKS = 4
ROUNDS = 3
PLAIN: dict[str, Any] = {
    "require": "green",
    **dict.fromkeys(
        ("overlay", "red_green", "canary", "twist", "smells", "regression_pack"), False
    ),
}
MODULES = 40
AGENT = """\
name=$(echo "$RALPH_TASK_ID" | tr 'A-Z-' 'a-z_')
printf '\\n\\ndef %s():\\n    return 1\\n' "$name" >> {module}.py
printf 'from {module} import %s\\n\\n\\ndef test_%s():\\n    assert %s() == 1\\n' \\
    "$name" "$name" "$name" > "tests/test_$name.py"
echo "Task $RALPH_TASK_ID complete"
"""
"""Adds a function and its test, so that overlay, red and green, and canary all have work."""

SLOW = """\
import time

import app


def test_waits():
    time.sleep(0.5)
    assert app
"""
FAST = """\
import pytest

import {module}


@pytest.mark.parametrize("number", range(50))
def test_adds(number):
    assert {module}.add(number, 1) == number + 1
"""


class Suite(Struct, frozen=True):
    """A repository's tests, by file; each change is one of the first module."""

    what: str
    tests: list[str]
    modules: tuple[str, ...] = ("app",)


def costs(folder: Path) -> Iterator[Figure]:
    """Tests that wait, as with a database or a browser; then tests that keep a core busy."""
    os.environ[NO_PLUGINS] = "1"
    names = tuple(f"part_{number:02}" for number in range(MODULES))
    one_each = [FAST.format(module=name) for name in names]
    yield from _figures(folder / "slow", Suite("a suite of 10 s", [SLOW] * 20))
    yield from _figures(folder / "fast", Suite("2,000 fast tests", one_each, names))
    all_of_one = [FAST.format(module="app")] * MODULES
    yield from _figures(folder / "all", Suite("2,000 that all see the change", all_of_one))


def _figures(folder: Path, suite: Suite) -> Iterator[Figure]:
    plain: list[float] = []
    first: list[float] = []
    later: list[float] = []
    for number in range(ROUNDS):
        place = folder / f"round{number}"
        plain += _verifying(_ground(place / "plain", suite, PLAIN))[1:]
        began, *rest = _verifying(_ground(place / "full", suite, {"base": False}))
        first.append(began)
        later += rest
    floor, what = median(plain), f"full proof with {suite.what}"
    yield against_floor(f"{what}, base not tried yet", floor, median(first), 2)
    yield against_floor(f"{what}, base known", floor, median(later), 1.3)


def _verifying(place: Ground) -> list[float]:
    """Milliseconds from the end of each agent to the verdict."""
    flags = ("--agent-command", f"sh {place.agent_file}", "--json")
    out = place.ralph("run", "PRD.json", *flags, codes=(0, LIMIT_REACHED))
    events = [json.loads(line) for line in out.splitlines()]
    ended = _at(events, "AgentFinished")
    levels = [event["level"] for event in events if event["event"] == "Settled"]
    assert len(ended) == len(levels) == TASKS, f"settled as {levels}"
    times = zip(_at(events, "Verified"), ended, strict=True)
    return [(verified - finished) * 1000 for verified, finished in times]


def _at(events: list[dict[str, Any]], kind: str) -> list[float]:
    return [event["at"] for event in events if event["event"] == kind]


def _ground(folder: Path, suite: Suite, verification: dict[str, Any]) -> Ground:
    agent = AGENT.format(module=suite.modules[0])
    made = Ground(folder, agent)
    (made.root / "tests").mkdir(parents=True)
    made.agent_file.write_text(agent, encoding="utf-8")
    check = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    settings = {"verification": {"commands": [check], "env": [NO_PLUGINS], **verification}}
    stories = [
        {"id": f"US-{n}", "title": f"Add function {n}", "criteria": ["It returns 1"]}
        for n in range(1, TASKS + 1)
    ]
    texts = {
        **{f"{name}.py": "def add(a, b):\n    return a + b\n" for name in suite.modules},
        "ralph.yaml": json.dumps(settings),
        "PRD.json": json.dumps({"project": "Bench", "userStories": stories}, indent=2) + "\n",
        **{f"tests/test_{number:02}.py": text for number, text in enumerate(suite.tests)},
    }
    for name, text in texts.items():
        (made.root / name).write_text(text, encoding="utf-8")
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Bench")
    made.git("config", "user.email", "bench@example.org")
    made.git("add", "-A")
    made.git("commit", "-q", "-m", "Start")
    return made
