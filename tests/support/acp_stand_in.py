"""Small programs that speak ACP, in place of real agents."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace
from tests.support.jobs import job_in

from ralph.agents.acp import AcpAgent
from ralph.agents.line import Line
from ralph.agents.preset import Preset
from ralph.domain.settings import Speech

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.domain.activity import Activity, ActivityKind
    from ralph.domain.answer import Answer
    from ralph.domain.job import Job
    from ralph.domain.trouble import TroubleKind

PRELUDE = """\
import json, os, signal, sys, time
SESSION = {"sessionId": "s-1"}
def send(**message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
    sys.stdout.buffer.flush()
def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)
def answer(request, **result):
    send(id=request["id"], result=result)
def fail(request, code, message, data=None):
    send(id=request["id"], error={"code": code, "message": message, "data": data})
def update(kind, /, **more):
    params = {"sessionId": "s-1", "update": {"sessionUpdate": kind, **more}}
    send(method="session/update", params=params)
def say(text, **more):
    update("agent_message_chunk", content={"type": "text", "text": text}, **more)
def ask(call, *options):
    kinds = [{"optionId": kind, "name": kind, "kind": kind} for kind in options]
    params = {"sessionId": "s-1", "toolCall": call, "options": kinds}
    send(id=call["toolCallId"], method="session/request_permission", params=params)
    return read()["result"]["outcome"].get("optionId")
def greet(**session):
    answer(read(), protocolVersion=1, agentCapabilities={})
    answer(read(), sessionId="s-1", **session)
"""


class Done(NamedTuple):
    """A job that is over."""

    answer: Answer
    heard: list[Activity]

    def of(self, kind: ActivityKind) -> list[Activity]:
        return [activity for activity in self.heard if activity.kind is kind]

    @property
    def trouble(self) -> TroubleKind | None:
        return None if self.answer.trouble is None else self.answer.trouble.kind


class Stage:
    """A workspace, and agents of a few lines of Python that work in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "work"
        self.workspace.mkdir()
        self.preset = Preset((), Speech.ACP)

    def job(self, **changes: Any) -> Job:
        return job_in(self.folder, self.workspace, **changes)

    def agent(self, code: str) -> AcpAgent:
        program = self.folder / "program.py"
        program.write_text(f"{PRELUDE}\n{code}\n", encoding="utf-8")
        command = (sys.executable, "-I", "-S", str(program))
        return AcpAgent("stand-in", replace(self.preset, command=command))

    def run(
        self,
        code: str,
        meanwhile: Callable[[Line, Activity], None] | None = None,
        **changes: Any,
    ) -> Done:
        """Run it to its end; `meanwhile` is called with what it does."""
        heard: list[Activity] = []

        def hear(activity: Activity) -> None:
            heard.append(activity)
            if meanwhile is not None:
                meanwhile(line, activity)

        line = Line(hear)
        agent = self.agent(code)
        agent.check()
        return Done(asyncio.run(agent.run(self.job(**changes), line)), heard)
