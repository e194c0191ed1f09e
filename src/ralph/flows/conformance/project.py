"""The small repository a case is played in: one module, its tests, a plan, a file of the user's."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from msgspec import Struct

from ralph import files
from ralph.domain.errors import RepoError
from ralph.flows.conformance.agents import kit
from ralph.flows.conformance.case import Case
from ralph.repo.git import discover

BRANCH = "main"
README = "# Calculator\n\nA very small project.\n"
NOTES = "what I must not forget: 4711\n"
IGNORED = "__pycache__/\n.ralph/\n.agent/\n"

TESTS = """\
import unittest

import calculator


class Addition(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(calculator.add(2, 3), 5)

    def test_adds_nothing(self):
        self.assertEqual(calculator.add(7, 0), 7)
"""

Call = tuple[str, list[int], int]
"""A function, its arguments and what it must return."""


class ProjectKind(Struct, frozen=True):
    """What is in the repository, and what its one task asks for."""

    source: str
    title: str
    criteria: tuple[str, ...]
    truth: tuple[Call, ...]
    """What tells the judge whether the task is done. Agents never see it."""


KINDS = {
    "red": ProjectKind(
        kit.WRONG,
        "Make add() add",
        ("add(2, 3) is 5: test_adds in test_calculator.py passes",),
        (("add", [2, 3], 5), ("add", [10, 4], 14)),
    ),
    "green": ProjectKind(
        kit.RIGHT,
        "Add double()",
        ("double(4) is 8, and a test in test_calculator.py shows it",),
        (("double", [4], 8), ("double", [-3], -6)),
    ),
}


class Stage(Struct, frozen=True):
    """Where a case is played."""

    case: Case
    folder: Path
    base: str
    """The person's commit."""
    size: int
    """Bytes in the repository's folder before anything ran."""

    @property
    def repo(self) -> Path:
        return self.folder / "repo"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def agent(self) -> Path:
        return self.folder / "agent"

    @property
    def kind(self) -> ProjectKind:
        return KINDS[self.case.project]


def verify_command() -> str:
    """The check, which needs nothing but Python."""
    # without bytecode: a second try within the second would be taken for the first
    return f"{shlex.quote(sys.executable)} -B -m unittest"


def plan_of(kind: ProjectKind) -> dict[str, Any]:
    story = {
        "id": kit.TASK,
        "title": kind.title,
        "description": f"{kind.title}, in calculator.py.",
        "criteria": list(kind.criteria),
        "passes": False,
    }
    return {
        "project": "Calculator",
        "description": "A module for very small sums.",
        "userStories": [story],
    }


def build(case: Case, folder: Path) -> Stage:
    """Make the repository, the agent and the folder for its traces."""
    scene = Stage(case, folder, "", 0)
    for path in (scene.repo, scene.state):
        path.mkdir(parents=True)
    _write_files(scene)
    base = _commit(scene.repo)
    # only now: a file that git does not know
    _write(scene.repo / kit.NOTES, NOTES)
    return Stage(case, folder, base, size_of(scene.repo))


def size_of(folder: Path) -> int:
    """Bytes of all files below, as far as they can be seen."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size
        except OSError:
            continue  # gone meanwhile
    return total


def _write_files(scene: Stage) -> None:
    kind, repo = scene.kind, scene.repo
    plan = json.dumps(plan_of(kind), indent=2) + "\n"
    texts = {
        kit.SOURCE: kind.source,
        kit.TESTS: TESTS,
        kit.PLAN: plan,
        "README.md": README,
        ".gitignore": IGNORED,
    }
    for name, text in texts.items():
        _write(repo / name, text)
    _write(scene.state / kit.ALIVE, "")
    words = (sys.executable, "-P", "-m", scene.case.module, str(scene.state))
    _write(scene.agent, f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    scene.agent.chmod(0o755)


def _write(path: Path, text: str) -> None:
    files.write(path, text, durable=False)


def _commit(repo: Path) -> str:
    for arguments in (
        ("init", "-q", "-b", BRANCH),
        ("config", "user.name", "A Person"),
        ("config", "user.email", "person@example.org"),
        ("config", "commit.gpgsign", "false"),
        ("add", "-A"),
        ("commit", "-q", "-m", "Start"),
        ("rev-parse", "HEAD"),
    ):
        done = discover(repo, *arguments)
        if done.code:
            raise RepoError(f"The repository of a case cannot be made: {done.err.strip()}")
    return done.out.decode().strip()
