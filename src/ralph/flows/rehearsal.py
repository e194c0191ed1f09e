"""The demo with the real Claude Code program, whose model is the demo's script."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ralph.flows.demo import SCRIPT
from ralph.testing import Endpoint, Script, call, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.testing import Turn

_NAME = "demo"


@contextmanager
def scripted_claude(top: Path) -> Iterator[dict[str, object]]:
    """Settings under which Claude Code asks a scripted endpoint, as long as the block lasts.

    It sees no login: its own files are below `top`, its key is a dummy.
    """
    with Endpoint({_NAME: script()}) as endpoint:
        variables = endpoint.environment(_NAME) | {"CLAUDE_CONFIG_DIR": str(top / "claude")}
        os.environ.update(variables)
        yield {"agent": "claude", "claude": {"env": sorted(variables)}}


def script() -> Script:
    """What the scripted agent does, as the answers of a model to the agent with the task."""
    conversations = {
        f"# Task {task}:": _repeating([one for turn in turns for one in _answers(turn)])
        for task, turns in SCRIPT["tasks"].items()
    }
    return Script((say("This is no task of the demonstration."),), conversations=conversations)


def _answers(turn: dict[str, Any]) -> Iterator[Turn]:
    """Claude Code reads a file before it may write it."""
    for path, content in turn.get("write", {}).items():
        yield call("Read", file_path=path)
        yield call("Write", file_path=path, content=content)
    for path, content in turn.get("append", {}).items():
        yield call("Bash", command=f"cat >> {path} <<'END'\n{content}END\n")
    yield say(turn["say"])


def _repeating(turns: list[Turn]) -> tuple[Turn, ...]:
    return (*turns[:-1], replace(turns[-1], repeat=True))
