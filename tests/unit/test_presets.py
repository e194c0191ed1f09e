"""Each preset is started as its program wants it; what people write in ralph.yaml counts."""

from __future__ import annotations

from typing import Any

import pytest

from ralph.agents import choose, known, presets
from ralph.agents.acp import AcpAgent
from ralph.agents.command import CommandAgent
from ralph.agents.program import ProgramAgent, child_environment, command
from ralph.domain.errors import AgentError
from ralph.domain.job import Job
from ralph.domain.settings import AgentSettings, Settings, Speech

JOB = Job("Do it.", "", ".", "T", 1, 1, "r", "", 1, 1, 1)
AGAIN = Job("Do it.", "", ".", "T", 1, 1, "r", "", 1, 1, 1, session="s-1")
COMMANDS = {
    "codex": "codex exec --json -s workspace-write",
    "gemini": "gemini -o stream-json --approval-mode yolo --skip-trust",
    "opencode": "opencode run --format json --auto",
    "gemini-acp": "gemini --acp --skip-trust",
    "opencode-acp": "opencode acp",
    "codex-acp": "codex-acp",
    "claude-acp": "claude-agent-acp",
    "kiro": "kiro-cli acp",
}


def made(name: str, **own: Any) -> ProgramAgent | AcpAgent:
    settings = Settings(agents={name: AgentSettings(**own)} if own else {})
    agent = choose(settings, name)
    assert isinstance(agent, ProgramAgent | AcpAgent)
    return agent


@pytest.mark.parametrize(("name", "words"), COMMANDS.items())
def test_how_they_are_started(name: str, words: str) -> None:
    agent = made(name)
    assert agent.name == name
    assert command(agent.preset, JOB) == tuple(words.split())


def test_every_preset_is_known_and_tested() -> None:
    assert {*COMMANDS, "amazon-q"} == set(presets.NAMES)
    assert set(presets.NAMES) <= set(known(Settings()))


def test_amazon_q_answers_in_plain_text() -> None:
    agent = choose(Settings(), "amazon-q")
    assert isinstance(agent, CommandAgent)
    assert agent.command == ("q", "chat", "--no-interactive", "--trust-all-tools")
    assert agent.speaks is Speech.TEXT


@pytest.mark.parametrize(
    ("name", "words"),
    [("codex", "-m x"), ("gemini", "-m x"), ("opencode", "-m x"), ("gemini-acp", "-m x")],
)
def test_the_model_on_the_command_line(name: str, words: str) -> None:
    assert command(made(name, model="x").preset, JOB)[-2:] == tuple(words.split())


def test_a_model_that_is_chosen_over_the_protocol() -> None:
    preset = made("claude-acp", model="x").preset
    assert (command(preset, JOB), preset.model) == (("claude-agent-acp",), "x")


@pytest.mark.parametrize(
    ("name", "words"), [("gemini", "--resume s-1"), ("opencode", "--session s-1"), ("codex", "")]
)
def test_going_on_in_a_session(name: str, words: str) -> None:
    preset = made(name).preset
    assert command(preset, AGAIN) == (*command(preset, JOB), *words.split())


def test_secrets_are_seen_only_when_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    monkeypatch.setenv("GEMINI_CLI_HOME", "/gemini")
    usual = child_environment(made("gemini").preset)
    assert "GEMINI_API_KEY" not in usual
    assert usual["GEMINI_CLI_HOME"] == "/gemini"
    assert child_environment(made("gemini", env=("GEMINI_API_KEY",)).preset)["GEMINI_API_KEY"]


def test_it_is_kept_from_updating_itself_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "OPENCODE_DISABLE_AUTOUPDATE"
    assert child_environment(made("opencode").preset)[name] == "1"
    monkeypatch.setenv(name, "0")
    assert child_environment(made("opencode").preset)[name] == "1"
    assert child_environment(made("opencode", env=(name,)).preset)[name] == "0"


def test_another_program_that_speaks_like_a_known_one() -> None:
    agent = made("mine", command=("my-gemini", "--json"), speaks=Speech.GEMINI, model="x")
    assert command(agent.preset, JOB) == ("my-gemini", "--json", "-m", "x")
    assert "agents.mine.env" in agent.preset.who.log_in


def test_a_preset_in_another_place() -> None:
    agent = made("gemini-acp", command=("/opt/gemini", "--acp"), speaks=Speech.ACP)
    assert command(agent.preset, JOB) == ("/opt/gemini", "--acp")
    assert agent.preset.who.name == "Gemini CLI"


def test_a_preset_that_speaks_otherwise() -> None:
    agent = made("gemini", command=("gemini", "--acp"), speaks=Speech.ACP)
    assert isinstance(agent, AcpAgent)


def test_any_agent_that_speaks_acp() -> None:
    agent = made("mine", command=("my-agent", "acp"), speaks=Speech.ACP)
    assert isinstance(agent, AcpAgent)
    assert not agent.preset.nudges


def test_a_way_to_speak_without_a_command_is_no_agent() -> None:
    with pytest.raises(AgentError, match="has no command"):
        choose(Settings(agents={"mine": AgentSettings(speaks=Speech.ACP)}), "mine")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_program_is_named_with_what_to_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(AgentError) as raised:
        made(name).check()
    assert COMMANDS[name].split()[0] in str(raised.value)
    assert raised.value.fix.startswith("Install")
