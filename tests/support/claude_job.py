"""Jobs for the real Claude Code against a scripted endpoint, and for programs that stand in."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from msgspec.structs import replace
from tests.support.jobs import job_in

from ralph.agents.claude import ClaudeAgent
from ralph.agents.line import Line
from ralph.domain.settings import ClaudeSettings
from ralph.domain.usage import Usage
from ralph.testing import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.domain.activity import Activity, ActivityKind
    from ralph.domain.answer import Answer
    from ralph.domain.job import Job
    from ralph.domain.trouble import TroubleKind
    from ralph.testing import Request, Script

MODEL = "claude-opus-5-5"
FOR_EVER = "while :; do sleep 0.1; done"


class Done(NamedTuple):
    """A job that is over."""

    answer: Answer
    heard: list[Activity]
    requests: tuple[Request, ...] = ()
    problems: tuple[str, ...] = ()
    """What the script had no answer for, and how many of its turns are left."""

    def of(self, kind: ActivityKind) -> list[Activity]:
        return [activity for activity in self.heard if activity.kind is kind]

    @property
    def trouble(self) -> TroubleKind | None:
        return None if self.answer.trouble is None else self.answer.trouble.kind


class Desk:
    """A workspace, and jobs done in it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.workspace = folder / "work"
        self.workspace.mkdir()
        self.settings = ClaudeSettings(model=MODEL)
        self._monkeypatch = monkeypatch

    def job(self, **changes: Any) -> Job:
        return job_in(self.folder, self.workspace, **changes)

    def see(self, variables: dict[str, str]) -> None:
        """Variables of Ralph's own environment that `claude.env` lets through."""
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)
        self.settings = replace(self.settings, env=tuple(variables))

    def run(
        self,
        script: Script,
        *,
        meanwhile: Callable[[Line, Activity], None] | None = None,
        subscription: bool = False,
        variables: dict[str, str] | None = None,
        **changes: Any,
    ) -> Done:
        """The real program with this script; `meanwhile` is called with what it does."""
        with Endpoint({"main": script}) as endpoint:
            usual = endpoint.environment("main", subscription=subscription)
            self.see(usual | {"CLAUDE_CODE_MAX_RETRIES": "0"} | (variables or {}))
            answer, heard = self.do(self.job(**changes), meanwhile)
            left = endpoint.left("main")
            problems = (*endpoint.problems(), *([f"{left} turns are left"] if left else []))
            return Done(answer, heard, tuple(endpoint.requests), problems)

    def do(
        self, job: Job, meanwhile: Callable[[Line, Activity], None] | None = None
    ) -> tuple[Answer, list[Activity]]:
        heard: list[Activity] = []

        def hear(activity: Activity) -> None:
            heard.append(activity)
            if meanwhile is not None:
                meanwhile(line, activity)

        line = Line(hear)
        agent = ClaudeAgent(self.settings)
        agent.check()
        return asyncio.run(agent.run(job, line)), heard

    def stand_in(
        self,
        code: str,
        meanwhile: Callable[[Line, Activity], None] | None = None,
        **changes: Any,
    ) -> Done:
        """A Python program in place of Claude Code; `say(event)` writes a line of its stream."""
        program = self.folder / "program.py"
        program.write_text(f"{_PRELUDE}\n{code}\n", encoding="utf-8")
        command = (sys.executable, "-I", "-S", str(program))
        self.settings = replace(self.settings, command=command)
        answer, heard = self.do(self.job(**changes), meanwhile)
        return Done(answer, heard)


_PRELUDE = """\
import json, os, signal, sys, time
def say(event):
    sys.stdout.buffer.write(json.dumps(event).encode() + b"\\n")
    sys.stdout.buffer.flush()
INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}
def words(text):
    say({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
def result(text="Done.", **more):
    say({"type": "result", "is_error": False, "result": text, "total_cost_usd": 0.5, **more})
prompt = sys.stdin.readline()
say(INIT)
"""


def when(holds: Callable[[], bool], then: Callable[[], object]) -> None:
    """From within a running job: do it as soon as it is so."""
    if holds():
        then()
    else:
        asyncio.get_running_loop().call_later(0.02, when, holds, then)


def used(read: int, written: int = 0, cached: int = 0, reused: int = 0, *, cost: float) -> Usage:
    """A usage that is told, not estimated; equal within what floating point makes of money."""
    near: Any = pytest.approx(cost, abs=1e-9)
    return Usage(read, written, cached, reused, near)
