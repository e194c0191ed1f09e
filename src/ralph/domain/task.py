from __future__ import annotations

import shlex
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

Command: TypeAlias = tuple[str, ...]
"""A program and its arguments. Text typed by a person becomes `shell(text)`."""

SHELL = ("/bin/sh", "-c")


def shell(text: str) -> Command:
    return (*SHELL, text)


def shown(command: Command) -> str:
    """The command as a person would type it."""
    if command[:2] == SHELL and len(command) == len(SHELL) + 1:
        return command[2]
    return shlex.join(command)


EXAMPLE = "Example to replace: "
"""How the title of a task begins that only shows the form."""


class Status(StrEnum):
    OPEN = "open"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    BLOCKED = "blocked"
    FAILED = "failed"
    SKIPPED = "skipped"


class Kind(StrEnum):
    FEATURE = "feature"
    FIX = "fix"
    REFACTOR = "refactor"
    DOCS = "docs"
    CHORE = "chore"


class Bound(Struct, frozen=True):
    """A criterion with a check of its own: one of these says whether it is met."""

    criterion: str
    command: Command = ()
    tests: tuple[str, ...] = ()
    """Names of tests that must be run and pass."""
    file: str = ""
    """A file that must be there, and hold `contains`."""
    contains: str = ""
    url: str = ""
    """What must answer with `status`, and `contains`, while `serve` runs."""
    serve: str = ""
    status: int = 200
    flow: str = ""
    """A file with a browser flow."""
    held_out: str = ""
    """The name of a check that is kept where agents cannot see it."""
    person: bool = False
    """Only a person can tell."""


class Task(Struct, frozen=True):
    """One piece of work that a fresh agent can finish and a check can prove."""

    id: str
    title: str
    description: str = ""
    criteria: tuple[str, ...] = ()
    status: Status = Status.OPEN
    depends_on: tuple[str, ...] = ()
    parent: str | None = None
    verify: tuple[Command, ...] = ()
    """Commands that prove this task; empty means the project's own."""
    labels: tuple[str, ...] = ()
    kind: Kind = Kind.FEATURE
    priority: int | None = None
    """Smaller comes first; tasks without one keep the plan's order after those that have one."""
    created_at: str = ""
    bound: tuple[Bound, ...] = ()
    """Criteria with a check of their own."""
    may_change_tests: tuple[str, ...] = ()
    """Tests or files that this task changes on purpose, as patterns."""
    allow: tuple[str, ...] = ()
    """Facts about the change that need no further reason here."""

    @property
    def area(self) -> str:
        """The part of the code base this task is about, from a label `area=…` or `area:…`."""
        for label in self.labels:
            if label.startswith(("area=", "area:")):
                return label[5:]
        return ""

    @property
    def is_open(self) -> bool:
        return self.status in (Status.OPEN, Status.IN_PROGRESS)

    @property
    def is_example(self) -> bool:
        """Whether `ralph init` wrote it, and nobody has replaced it yet."""
        return self.title.startswith(EXAMPLE)

    @property
    def is_done(self) -> bool:
        return self.status is Status.COMPLETED
