"""The real gemini-cli does what a script says. More of it: `tests/contract/test_agents.py`."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

import pytest
from tests.support import gemini

from ralph.agents import choose
from ralph.agents.line import Line
from ralph.domain.activity import ActivityKind
from ralph.domain.job import Job
from ralph.domain.settings import AgentSettings, Settings
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.testing import ClaimedUsage as Tokens
from ralph.testing import (
    Endpoint,
    Script,
    Text,
    Thinking,
    ToolUse,
    Turn,
    call,
    rate_limited,
    say,
)
from ralph.testing.gemini import Gemini

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.activity import Activity
    from ralph.domain.answer import Answer


class Drive:
    """The program in a workspace, with a script."""

    def __init__(self, folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        gemini.at_hand(monkeypatch)
        self.workspace = folder / "work"
        self.workspace.mkdir()
        self.heard: list[Activity] = []
        self._home = home
        self._monkeypatch = monkeypatch

    def run(self, script: Script, model: str = "") -> tuple[Answer, Endpoint]:
        with Endpoint({"main": script}) as endpoint:
            env = gemini.point_at(endpoint, self._home, self._monkeypatch)
            own = AgentSettings(env=env, model=model)
            agent = choose(Settings(agents={"gemini": own}), "gemini")
            job = Job("Do it.", "", str(self.workspace), "T", 1, 1, "r", "", 60, 60, 1 << 20)
            return asyncio.run(agent.run(job, Line(self.heard.append))), endpoint


@pytest.fixture
def drive(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Drive:
    return Drive(tmp_path, own_home, monkeypatch)


def test_words_tools_and_tokens(drive: Drive) -> None:
    script = Script(
        (
            Turn(
                (
                    Thinking("A file is wanted."),
                    Text("I write it."),
                    ToolUse("write_file", {"file_path": "a.txt", "content": "hello\n"}),
                ),
                Tokens(input=1000, output=50, cache_read=300),
            ),
            call("run_shell_command", Tokens(10, 20), command="cat a.txt > b.txt && cat b.txt"),
            say("All done.", Tokens(30, 40), expect="hello"),
        )
    )
    answer, endpoint = drive.run(script)
    assert (endpoint.problems(), endpoint.left("main")) == ([], 0)
    assert (drive.workspace / "b.txt").read_text() == "hello\n"
    assert (answer.worked, answer.text) == (True, "I write it.\nAll done.")
    assert answer.usage == Usage(1040, 110, 0, 300)
    assert answer.tools == {"write_file": 1, "run_shell_command": 1}
    assert sum(answer.models.values(), Usage()) == answer.usage
    tools = [one.text for one in drive.heard if one.kind is ActivityKind.TOOL]
    assert tools == ["a.txt", "cat a.txt > b.txt && cat b.txt"]
    # It was not told a model, so it asked which one suits the prompt: that takes no turn.
    assert any(request.side for request in endpoint.requests)


def test_a_rate_limit_and_when_it_is_lifted(drive: Drive) -> None:
    answer, _ = drive.run(Script((rate_limited(90, repeat=True),)), gemini.MODEL)
    assert answer.trouble is not None
    assert answer.trouble.kind is TroubleKind.RATE_LIMIT
    assert 60 < answer.trouble.until - time.time() < 91


SIDE = "/v1beta/models/m:generateContent"
MAIN = "/v1beta/models/m:streamGenerateContent"


def side(path: str, body: dict[str, object]) -> dict[str, object] | None:
    reply = Gemini().side(path, body)
    return json.loads(reply.chunks[0]) if reply else None


def test_side_questions_get_what_their_schema_allows() -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "why": {"type": "STRING"},
            "score": {"type": "INTEGER", "minimum": 5},
            "who": {"enum": ["user", "model"]},
            "sure": {"type": "BOOLEAN"},
            "list": {"type": "ARRAY"},
            "more": {"type": "STRING"},
        },
        "required": ["why", "score", "who", "sure", "list"],
    }
    answer = side(SIDE, {"generationConfig": {"responseJsonSchema": schema}})
    assert answer is not None
    words = answer["candidates"][0]["content"]["parts"][0]["text"]  # type: ignore[index]
    assert json.loads(words) == {"why": "ok", "score": 5, "who": "user", "sure": False, "list": []}


def test_what_is_a_side_question() -> None:
    assert side(MAIN, {"tools": [{}]}) is None
    assert side("/v1beta/models/m:countTokens", {"contents": []}) == {"totalTokens": 4}
    assert Gemini().side(MAIN, {}) is not None


def test_the_paths_it_answers() -> None:
    dialect = Gemini()
    assert dialect.answers(MAIN)
    assert not dialect.answers("/v1/messages")
    assert not dialect.answers("/v1beta/models/m:embedContent")
