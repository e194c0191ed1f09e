"""The whole loop in a throw-away repository: real checks, real commits, and usually a script that
plays the agent, or the model of a real one (`rehearsal.py`).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from ralph import files
from ralph.domain.errors import RepoError
from ralph.domain.question import Choice, Reply
from ralph.people import wording
from ralph.repo.git import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ralph.domain.question import Question

NAME = "temperatures"
"""What the project's folder is called."""

SOURCE = "ABSOLUTE_ZERO = -273.15\n"

TESTS = """\
import unittest

import temperature


class {name}(unittest.TestCase):
    def test_{case}(self):
        self.assertEqual(temperature.{left}, {right})
"""
ZERO = TESTS.format(name="Zero", case="is_in_celsius", left="ABSOLUTE_ZERO", right=-273.15)

STORIES = [
    {
        "id": "US-001",
        "title": "Convert Celsius to Fahrenheit",
        "description": "Add to_fahrenheit(celsius) to temperature.py, with a test.",
        "criteria": ["to_fahrenheit(100) is 212"],
        "passes": False,
    },
    {
        "id": "US-002",
        "title": "Convert Fahrenheit to Celsius",
        "description": "Add to_celsius(fahrenheit) to temperature.py, with a test.",
        "criteria": ["to_celsius(212) is 100", "to_celsius(32) is 0"],
        "passes": False,
        "depends_on": ["US-001"],
    },
    {
        "id": "US-003",
        "title": "Convert Celsius to Kelvin",
        "description": "Add to_kelvin(celsius) to temperature.py, with a test.",
        "criteria": ["to_kelvin(0) is 273.15"],
        "passes": False,
    },
]

FAHRENHEIT = SOURCE + "\n\ndef to_fahrenheit(celsius):\n    return celsius * 9 / 5 + 32\n"
CELSIUS = "\n\ndef to_celsius(fahrenheit):\n    return (fahrenheit - 32) * 5 / 9\n"
WRONG = CELSIUS.replace("(fahrenheit - 32)", "fahrenheit - 32")
KELVIN = "\n\ndef to_kelvin(celsius):\n    return celsius - ABSOLUTE_ZERO\n"
TEST_FAHRENHEIT = TESTS.format(
    name="Fahrenheit", case="boiling_water", left="to_fahrenheit(100)", right=212
)
TEST_CELSIUS = TESTS.format(name="Celsius", case="boiling_water", left="to_celsius(212)", right=100)
TEST_CELSIUS += "        self.assertEqual(temperature.to_celsius(32), 0)\n"
TEST_KELVIN = TESTS.format(name="Kelvin", case="melting_ice", left="to_kelvin(0)", right=273.15)

QUESTION = """\
<escalate type="deviation">
<summary>The story does not say what to do below absolute zero</summary>
<context>to_kelvin(-300) would be a negative number of kelvins.</context>
<options>
1. Keep it simple: no check
2. Raise a ValueError below absolute zero
</options>
<question>Should to_kelvin refuse impossible temperatures?</question>
</escalate>
"""

SCRIPT: dict[str, dict[str, list[dict[str, Any]]]] = {
    "tasks": {
        "US-001": [
            {
                "write": {"temperature.py": FAHRENHEIT, "test_fahrenheit.py": TEST_FAHRENHEIT},
                "say": "Added it. Task US-001 complete",
            }
        ],
        "US-002": [
            {
                "write": {"test_celsius.py": TEST_CELSIUS},
                "append": {"temperature.py": WRONG},
                "say": "Done!\nTask US-002 complete",
            },
            {
                "write": {
                    "temperature.py": FAHRENHEIT + CELSIUS,
                    "test_celsius.py": TEST_CELSIUS,
                },
                "say": "The parentheses were missing. Task US-002 complete",
            },
        ],
        "US-003": [
            {"say": QUESTION},
            {
                "write": {"test_kelvin.py": TEST_KELVIN},
                "append": {"temperature.py": KELVIN},
                "say": "As you said.\nTask US-003 complete",
            },
        ],
    }
}


class Answering:
    """The person of the demo: always takes the first option, and shows it."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show

    async def ask(self, question: Question) -> Reply | None:
        self._show(f"{wording.escalation(question)} 1")
        self._show("(The demo answers for you; to choose yourself, run `ralph demo --ask`.)")
        return Reply(Choice.OPTION, option=1)


def scripted(top: Path) -> dict[str, object]:
    """Settings for the built-in agent that follows the script, which is written below `top`."""
    script = top / "agent-script.json"
    files.write(script, json.dumps(SCRIPT, indent=2))
    command = [sys.executable, "-m", "ralph.agents.scripted", str(script)]
    return {"agent": "scripted", "agents": {"scripted": {"command": command}}}


def build(folder: Path, settings: Mapping[str, object]) -> None:
    """A small project with a plan and a failing future; the settings say who works on it."""
    files.write(folder / "temperature.py", SOURCE)
    files.write(folder / "test_temperature.py", ZERO)
    plan = {
        "project": "Temperatures",
        "description": "A small module that converts temperatures.",
        "userStories": STORIES,
    }
    files.write(folder / "PRD.json", json.dumps(plan, indent=2) + "\n")
    files.write(folder / ".gitignore", "__pycache__/\n.ralph/\n.agent/\n")
    config = {**settings, "verification": {"commands": [["python3", "-m", "unittest", "-q"]]}}
    files.write(folder / "ralph.yaml", json.dumps(config, indent=2) + "\n")
    who = ("-c", "user.name=Ralph Demo", "-c", "user.email=demo@localhost")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Ralph Demo"),
        ("config", "user.email", "demo@localhost"),
        ("add", "-A"),
        (*who, "commit", "-q", "-m", "Start"),
    ):
        done = discover(folder, *arguments)
        if done.code:
            raise RepoError(f"The demo's repository cannot be made: {done.err.strip()}")
