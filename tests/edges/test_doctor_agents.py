"""Which agents are there, and who pays for each: with stand-ins, and with the real Claude Code."""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.claude import program

from ralph.agents import accounts, choose, claude_find, doctor
from ralph.agents.scripted import ScriptedAgent
from ralph.domain.diagnosis import Sign
from ralph.domain.settings import AgentSettings, ClaudeSettings, Settings
from ralph.process import environment

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.diagnosis import Diagnosis

KEY = "ANTHROPIC_API_KEY"


@pytest.fixture
def home(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only the programs that a test installs are on PATH."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return own_home


def install(tmp_path: Path, name: str, body: str) -> Path:
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def examine(settings: Settings, folder: Path) -> dict[str, Diagnosis]:
    found = asyncio.run(doctor.examine(settings, folder))
    return {one.subject: one for one in found}


def keep(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


# Claude Code, the real one


def test_the_program_of_the_extra_is_found_and_not_logged_in(home: Path, tmp_path: Path) -> None:
    found = examine(Settings(), tmp_path)["agent claude"]
    assert found.sign is Sign.PROBLEM
    assert "(Claude Code) from the extra `claude`" in found.found
    assert found.found.endswith("not logged in")
    assert found.fix.startswith("Run `/"), "there is no `claude` that one could run"
    assert found.fix.split("`")[1] in found.found


def test_a_program_on_the_path_comes_first(home: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "claude").symlink_to(program())
    keep(home / ".claude" / ".credentials.json", {"claudeAiOauth": {"accessToken": "x"}})
    found = examine(Settings(), tmp_path)["agent claude"]
    assert found.sign is Sign.OK
    assert f"from PATH ({tmp_path}/bin/claude)" in found.found
    assert found.found.endswith("subscription (login in ~/.claude/.credentials.json)")


def test_a_key_pays_only_if_it_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "no-secret")
    assert examine(Settings(), tmp_path)["agent claude"].sign is Sign.PROBLEM
    named = Settings(claude=ClaudeSettings(env=(KEY,)))
    found = examine(named, tmp_path)["agent claude"]
    assert found.sign is Sign.OK
    assert found.found.endswith(f"API key ({KEY})")


def test_a_program_that_is_missing_has_its_fix(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_find, "WHEEL", "no_such_wheel")
    found = examine(Settings(), tmp_path)
    assert list(found) == ["agent claude"]
    assert found["agent claude"].sign is Sign.PROBLEM
    assert 'pip install ".[claude]"' in found["agent claude"].fix


# Others


def test_the_chain_comes_first_then_what_else_is_installed(home: Path, tmp_path: Path) -> None:
    install(tmp_path, "codex", "echo codex-cli 0.166.0")
    install(tmp_path, "gemini", "echo 0.61.0")
    keep(home / ".codex" / "auth.json", {"tokens": {"access_token": "x"}})
    found = examine(Settings(agent="gemini", fallback=("codex",)), tmp_path)
    assert list(found) == ["agent gemini", "agent codex", "agent claude"]
    assert found["agent gemini"].found == f"0.61.0 from {tmp_path}/bin/gemini · login unknown"
    assert found["agent codex"].found.endswith(
        "· subscription (ChatGPT login in ~/.codex/auth.json)"
    )
    assert found["agent claude"].found.endswith("· not in the chain")
    assert {one.sign for one in found.values()} == {Sign.OK}


def test_a_preset_that_is_not_installed_is_a_problem(home: Path, tmp_path: Path) -> None:
    found = examine(Settings(agent="opencode"), tmp_path)["agent opencode"]
    assert found.sign is Sign.PROBLEM
    assert "opencode" in found.fix


def test_an_agent_that_nobody_knows_is_a_problem(home: Path, tmp_path: Path) -> None:
    found = examine(Settings(agent="nobody"), tmp_path)["agent nobody"]
    assert (found.sign, "Known: claude" in found.found) == (Sign.PROBLEM, True)


def test_a_program_that_does_not_start_is_a_problem(home: Path, tmp_path: Path) -> None:
    install(tmp_path, "codex", "echo no node here; exit 127")
    found = examine(Settings(agent="codex"), tmp_path)["agent codex"]
    assert found.sign is Sign.PROBLEM
    assert found.found == "it exited 127: no node here"


def test_a_program_that_takes_its_time_is_not_waited_for(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "VERSION_SECONDS", 0.2)
    install(tmp_path, "codex", "exec /bin/sleep 60")
    found = examine(Settings(agent="codex"), tmp_path)["agent codex"]
    assert found.sign is Sign.NOTE
    assert "it did not print its version" in found.found


def test_a_command_of_ones_own_is_not_started(home: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    own = install(tmp_path, "mine", f": > {trace}")
    settings = Settings(agent="mine", agents={"mine": AgentSettings(command=(str(own), "--fast"))})
    found = examine(settings, tmp_path)["agent mine"]
    assert (found.sign, found.found) == (Sign.OK, f"{own} --fast · unknown who pays")
    assert not trace.exists()


# Who pays

CASES: list[tuple[str, dict[str, str], str, Any, str]] = [
    ("codex", {"CODEX_API_KEY": "x"}, ".codex/auth.json", {"tokens": {"a": 1}},
     "API key (CODEX_API_KEY)"),
    ("codex", {}, ".codex/auth.json", {"OPENAI_API_KEY": "x"},
     "API key (login in ~/.codex/auth.json)"),
    ("codex", {"OPENAI_API_KEY": "x"}, "none", {}, "API key (OPENAI_API_KEY)"),
    ("codex", {}, ".codex/auth.json", "garbage", ""),
    ("gemini", {"GEMINI_API_KEY": "x"}, ".gemini/settings.json",
     {"security": {"auth": {"selectedType": "oauth-personal"}}},
     "Google account (chosen in ~/.gemini/settings.json)"),
    ("gemini", {"GOOGLE_GENAI_USE_VERTEXAI": "true"}, "none", {},
     "Google Vertex AI (GOOGLE_GENAI_USE_VERTEXAI)"),
    ("gemini", {"GOOGLE_API_KEY": "x"}, "none", {}, "API key (GOOGLE_API_KEY)"),
    ("gemini", {}, ".gemini/oauth_creds.json", {},
     "Google account (login in ~/.gemini/oauth_creds.json)"),
    ("gemini", {}, "none", {}, ""),
    ("opencode", {}, ".local/share/opencode/auth.json", {"openai": {}, "anthropic": {}},
     "anthropic, openai (logins in ~/.local/share/opencode/auth.json)"),
    ("opencode", {}, "none", {}, ""),
    ("claude", {KEY: "x", "ANTHROPIC_BASE_URL": "https://u:p@proxy.example/x"}, "none", {},
     f"API key ({KEY}), used at proxy.example"),
    ("mine", {KEY: "x"}, "none", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "variables", "file", "content", "who"), CASES)
def test_who_pays_is_told_by_what_the_program_would_see(
    name: str, variables: dict[str, str], file: str, content: Any, who: str, home: Path
) -> None:
    keep(home / file, content)
    seen = environment(os.environ, add=variables)
    found = accounts.of_program(name, seen, home)
    assert (found.who if found else "") == who


def test_an_agent_shows_who_pays_with_its_own_variables(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_API_KEY", "x")
    agents = {"codex": AgentSettings(env=("CODEX_API_KEY",))}
    paying = accounts.of_agent(choose(Settings(agent="codex", agents=agents)), home)
    assert paying is not None
    assert paying.who == "API key (CODEX_API_KEY)"
    assert accounts.of_agent(choose(Settings(agent="codex")), home) is None
    assert accounts.of_agent(ScriptedAgent({"default": [{}]}), home) is None


@pytest.mark.parametrize(
    ("name", "reports"),
    [("claude", True), ("opencode", True), ("codex", False), ("gemini", False), ("mine", False)],
)
def test_it_is_known_who_reports_the_cost(name: str, reports: bool, home: Path) -> None:
    settings = Settings(agents={"mine": AgentSettings(command=("mine",))})
    assert accounts.reports_cost(choose(settings, name)) is reports
