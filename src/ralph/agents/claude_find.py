"""Where Claude Code is on this machine."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import AgentError
from ralph.domain.task import Command

if TYPE_CHECKING:
    from ralph.domain.settings import ClaudeSettings

USUAL = ("claude",)
WHEEL = "claude_agent_sdk"


class Found(Struct, frozen=True):
    """The program to start."""

    command: Command
    path: str
    """Where its first word leads."""
    source: str
    """By what it was found, for people."""


def find(settings: ClaudeSettings) -> Found:
    """As `claude.command` says, else `claude` on PATH, else the one in the `claude` extra."""
    # "claude code" is how people call the program, not an argument of it.
    command = USUAL if settings.command == ("claude", "code") else settings.command
    program = command[0] if command else ""
    if path := shutil.which(program):
        return Found(command, path, "PATH" if command == USUAL else "claude.command")
    if command != USUAL:
        raise AgentError(
            f"The program `{program}` of claude.command was not found.",
            fix="Correct claude.command in ralph.yaml, or leave it out.",
        )
    if path := _in_wheel():
        return Found((path,), path, "the extra `claude`")
    raise AgentError(
        "Claude Code was not found: there is no `claude` on PATH.",
        fix='Install it, or `pip install ".[claude]"` in your clone of Ralph,\n'
        "or set claude.command.",
    )


def _in_wheel() -> str:
    """The program that the wheel of the SDK brings along; the SDK itself is not imported."""
    from importlib.util import find_spec

    spec = find_spec(WHEEL)
    if spec is None or spec.origin is None:
        return ""
    path = os.path.join(os.path.dirname(spec.origin), "_bundled", "claude")  # noqa: PTH118, PTH120 - one path
    return shutil.which(path) or ""
