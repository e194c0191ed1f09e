"""Every agent does its job, tells its trouble, keeps its limits and leaves nothing behind.

Claude Code and gemini-cli are the real programs, driven by a scripted endpoint; the others are
stand-ins of a few lines.
"""

from __future__ import annotations

import asyncio
import json
import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support import gemini
from tests.support.claude_job import MODEL as CLAUDE_MODEL

from ralph.agents import choose
from ralph.agents.claude import ClaudeAgent
from ralph.agents.command import CommandAgent
from ralph.agents.line import Line
from ralph.agents.scripted import ScriptedAgent
from ralph.domain.answer import Ended
from ralph.domain.job import Job
from ralph.domain.settings import AgentSettings, ClaudeSettings, Settings, Speech
from ralph.domain.task import shell
from ralph.domain.trouble import TroubleKind as K
from ralph.process.table import main_threads_children
from ralph.testing import Endpoint, Script, Turn, call, say, server_error, unauthorised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.agents import Agent
    from ralph.domain.activity import Activity

STRAY = "setsid sh -c 'echo $$ > stray; exec sleep 300' >/dev/null 2>&1 & sleep 300"
"""A command that does not end, and a daemon beside it."""
WORK = "echo hello > a.txt"


class Case(ABC):
    """One implementation: the agent for each thing it should do."""

    failure = K.EXIT

    @abstractmethod
    def works(self) -> Agent:
        """Makes a.txt and says that it is done."""

    @abstractmethod
    def fails(self) -> Agent:
        """Ends with `failure`."""

    @abstractmethod
    def hangs(self) -> Agent:
        """Waits for ever for its model."""

    @abstractmethod
    def strays(self) -> Agent:
        """Runs STRAY."""


class Text(Case):
    def works(self) -> Agent:
        return CommandAgent("text", shell(f"{WORK}; echo All done."))

    def fails(self) -> Agent:
        return CommandAgent("text", shell("echo Oh no >&2; exit 3"))

    def hangs(self) -> Agent:
        return CommandAgent("text", shell("exec sleep 300"))

    def strays(self) -> Agent:
        return CommandAgent("text", shell(STRAY))


class StreamJson(Case):
    failure = K.RATE_LIMIT

    def works(self) -> Agent:
        return self._agent(WORK, {"type": "result", "is_error": False, "result": "All done."})

    def fails(self) -> Agent:
        said = {"result": "Later.", "is_error": True, "api_error_status": 429}
        return self._agent("true", {"type": "result", **said})

    def hangs(self) -> Agent:
        return self._agent("sleep 300", {})

    def strays(self) -> Agent:
        return self._agent(STRAY, {})

    def _agent(self, command: str, result: object) -> Agent:
        init = json.dumps({"type": "system", "subtype": "init", "session_id": "s-1"})
        script = f"echo '{init}'; {command}; echo '{json.dumps(result)}'"
        return CommandAgent("stream", shell(script), speaks=Speech.STREAM_JSON)


class Scripted(Case):
    """The scripted program. (Without a process of its own it has no limit to keep.)"""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def works(self) -> Agent:
        return ScriptedAgent({"default": [{"run": [list(shell(WORK))], "say": "All done."}]})

    def fails(self) -> Agent:
        return ScriptedAgent({"default": [{"exit": 3}]})

    def hangs(self) -> Agent:
        return self._program({"sleep": 300})

    def strays(self) -> Agent:
        return self._program({"run": [list(shell(STRAY))]})

    def _program(self, turn: object) -> Agent:
        script = self._folder / "script.json"
        script.write_text(json.dumps({"default": [turn]}), encoding="utf-8")
        command = (sys.executable, "-m", "ralph.agents.scripted", str(script))
        return CommandAgent("scripted", command)


class Real(Case):
    """A real program and the endpoint that tells it what to do."""

    edit_tool, shell_tool = "Write", "Bash"
    refusal: Turn = unauthorised(repeat=True)
    failure = K.AUTHENTICATION

    def __init__(self) -> None:
        self._endpoint: Endpoint | None = None

    def works(self) -> Agent:
        return self._serve(
            call(self.edit_tool, file_path="a.txt", content="hello\n"),
            call(self.shell_tool, command="cat a.txt"),
            say("All done.", expect="hello"),
        )

    def fails(self) -> Agent:
        return self._serve(self.refusal)

    def hangs(self) -> Agent:
        return self._serve(Turn(hang=True))

    def strays(self) -> Agent:
        return self._serve(call(self.shell_tool, command=STRAY), say("Never said."))

    def close(self) -> None:
        if self._endpoint is not None:
            self._endpoint.__exit__()

    def _serve(self, *turns: Turn) -> Agent:
        self._endpoint = Endpoint({"main": Script(turns)}).__enter__()
        return self._agent(self._endpoint)

    @abstractmethod
    def _agent(self, endpoint: Endpoint) -> Agent:
        """The program, with this endpoint as its model."""


class Claude(Real):
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._monkeypatch = monkeypatch

    def _agent(self, endpoint: Endpoint) -> Agent:
        variables = endpoint.environment("main")
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)
        return ClaudeAgent(ClaudeSettings(model=CLAUDE_MODEL, env=tuple(variables)))


class Gemini(Real):
    edit_tool, shell_tool = "write_file", "run_shell_command"
    name = "gemini"

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self._home = home
        self._monkeypatch = monkeypatch

    def _agent(self, endpoint: Endpoint) -> Agent:
        gemini.at_hand(self._monkeypatch)
        env = gemini.point_at(endpoint, self._home, self._monkeypatch)
        own = AgentSettings(env=env, model=gemini.MODEL)
        return choose(Settings(agents={self.name: own}), self.name)


class GeminiAcp(Gemini):
    name = "gemini-acp"
    refusal = server_error(repeat=True)
    failure = K.OVERLOAD


CASES: dict[str, Callable[[Path, Path, pytest.MonkeyPatch], Case]] = {
    "text": lambda *_: Text(),
    "stream-json": lambda *_: StreamJson(),
    "scripted": lambda folder, *_: Scripted(folder),
    "claude": lambda _folder, _home, monkeypatch: Claude(monkeypatch),
    "gemini": lambda _, home, monkeypatch: Gemini(home, monkeypatch),
    "gemini-acp": lambda _, home, monkeypatch: GeminiAcp(home, monkeypatch),
}


@pytest.fixture(params=CASES)
def case(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Case]:
    made = CASES[request.param](tmp_path, own_home, monkeypatch)
    yield made
    if isinstance(made, Real):
        made.close()


@pytest.fixture
def before() -> set[int]:
    """Processes of the tests' own."""
    return set(main_threads_children())


@pytest.fixture
def job(tmp_path: Path) -> Job:
    workspace = tmp_path / "work"
    workspace.mkdir()
    return Job(
        prompt="Do it.",
        prompt_file=str(tmp_path / "prompt.md"),
        workspace=str(workspace),
        task="US-001",
        iteration=1,
        attempt=1,
        run="run-1",
        log=str(tmp_path / "log.txt"),
        wall_seconds=60,
        idle_seconds=60,
        log_cap=1 << 20,
    )


def test_it_does_its_job(case: Case, job: Job) -> None:
    heard: list[Activity] = []
    agent = case.works()
    agent.check()
    answer = asyncio.run(agent.run(job, Line(heard.append)))
    assert answer.trouble is None
    assert (answer.worked, answer.ended) == (True, Ended.EXITED)
    assert "All done." in answer.text
    assert (Path(job.workspace) / "a.txt").read_text() == "hello\n"


def test_its_trouble_is_told(case: Case, job: Job) -> None:
    answer = asyncio.run(case.fails().run(job, Line()))
    assert not answer.worked
    assert answer.trouble is not None
    assert answer.trouble.kind is case.failure
    assert answer.error


def test_it_is_ended_when_its_time_is_up(case: Case, job: Job, before: set[int]) -> None:
    timed = replace(job, wall_seconds=1)
    answer = asyncio.run(case.hangs().run(timed, Line()))
    assert answer.ended is Ended.TIMEOUT
    assert answer.trouble is not None
    assert answer.trouble.kind is K.TIMEOUT
    assert answer.seconds < 30
    assert set(main_threads_children()) <= before


def test_cancelling_ends_it_and_all_that_it_started(case: Case, job: Job, before: set[int]) -> None:
    stray = Path(job.workspace) / "stray"

    async def cancelled() -> None:
        running = asyncio.create_task(case.strays().run(job, Line()))
        while not (stray.exists() and stray.read_text()):
            assert not running.done(), running.result()
            await asyncio.sleep(0.02)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not Path(f"/proc/{int(stray.read_text())}").exists()
    assert set(main_threads_children()) <= before
