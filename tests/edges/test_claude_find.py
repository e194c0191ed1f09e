"""Where Claude Code is found, and who pays for it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from ralph.agents import claude_find
from ralph.agents.claude import QUIET, child_environment
from ralph.agents.claude_account import Account, account
from ralph.agents.claude_find import find
from ralph.domain.errors import AgentError
from ralph.domain.settings import ClaudeSettings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is all of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(path: Path) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_program_on_path_comes_first(on_path: Path) -> None:
    path = program(on_path / "claude")
    found = find(ClaudeSettings())
    assert (found.command, found.path, found.source) == (("claude",), path, "PATH")


def test_claude_code_means_claude(on_path: Path) -> None:
    program(on_path / "claude")
    assert find(ClaudeSettings(("claude", "code"))).command == ("claude",)


@pytest.mark.usefixtures("on_path")
def test_without_it_the_one_of_the_extra_is_taken() -> None:
    found = find(ClaudeSettings())
    assert found.command == (found.path,)
    assert found.path.endswith("claude_agent_sdk/_bundled/claude")
    assert os.access(found.path, os.X_OK)
    assert found.source == "the extra `claude`"


def test_a_command_of_ones_own(on_path: Path) -> None:
    path = program(on_path / "wrapper")
    found = find(ClaudeSettings(("wrapper", "--fast")))
    assert (found.command, found.path) == (("wrapper", "--fast"), path)
    assert found.source == "claude.command"


@pytest.mark.usefixtures("on_path")
@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("wrapper",), "The program `wrapper` of claude.command was not found."),
        (("claude",), "Claude Code was not found: there is no `claude` on PATH."),
    ],
)
def test_what_is_not_there_is_explained(
    command: tuple[str, ...], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_find, "WHEEL", "no_such_wheel")
    with pytest.raises(AgentError) as caught:
        find(ClaudeSettings(command))
    assert caught.value.what == what
    assert "claude.command" in caught.value.fix


def test_what_the_program_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_VERTEX"):
        monkeypatch.setenv(name, "mine")
    monkeypatch.setenv("DISABLE_TELEMETRY", "0")
    monkeypatch.setenv("CLAUDE_CODE_MAX_RETRIES", "7")
    seen = child_environment(ClaudeSettings(env=("CLAUDE_CODE_MAX_RETRIES",)))
    assert seen["CLAUDE_CONFIG_DIR"] == "mine"
    assert seen["CLAUDE_CODE_MAX_RETRIES"] == "7"
    assert seen["DISABLE_TELEMETRY"] == "1"
    assert not {"ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_VERTEX"} & seen.keys()
    assert QUIET.keys() <= seen.keys()


LOGIN = {"claudeAiOauth": {"accessToken": "x", "subscriptionType": "max"}}

Files = dict[str, object]


@pytest.mark.parametrize(
    ("variables", "files", "who"),
    [
        ({}, {"home/.claude/.credentials.json": LOGIN}, "subscription max (login in "),
        ({}, {"home/.claude.json": {"primaryApiKey": "k"}}, "API key (login in "),
        ({"ANTHROPIC_API_KEY": "k"}, {}, "API key (ANTHROPIC_API_KEY)"),
        ({"ANTHROPIC_AUTH_TOKEN": "k", "ANTHROPIC_API_KEY": "k"}, {}, "API key (ANTHROPIC_AUTH_"),
        ({"CLAUDE_CODE_OAUTH_TOKEN": "t"}, {}, "subscription (CLAUDE_CODE_OAUTH_TOKEN)"),
        (
            {"CLAUDE_CODE_OAUTH_TOKEN": "t", "ANTHROPIC_API_KEY": "k"},
            {"home/.claude/.credentials.json": LOGIN},
            "API key (ANTHROPIC_API_KEY)",
        ),
        (
            {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_API_KEY": "k"},
            {},
            "Amazon Bedrock (CLAUDE_CODE_USE_BEDROCK)",
        ),
        ({"CLAUDE_CODE_USE_VERTEX": "0", "ANTHROPIC_API_KEY": "k"}, {}, "API key"),
        (
            {},
            {"home/.claude/settings.json": {"apiKeyHelper": "./key.sh"}},
            "API key (apiKeyHelper in its settings)",
        ),
        (
            {},
            {"work/.claude/settings.json": {"env": {"CLAUDE_CODE_USE_VERTEX": 1}}},
            "Google Vertex AI (CLAUDE_CODE_USE_VERTEX)",
        ),
        ({"CLAUDE_CONFIG_DIR": "@/own"}, {"own/.credentials.json": LOGIN}, "subscription max"),
        ({"CLAUDE_CONFIG_DIR": "@/own"}, {"own/.claude.json": {"primaryApiKey": "k"}}, "API key"),
    ],
)
def test_who_pays(variables: dict[str, str], files: Files, who: str, tmp_path: Path) -> None:
    paying = look(tmp_path, variables, files)
    assert paying.who.startswith(who)
    assert paying.logged_in


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"home/.claude/.credentials.json": {"claudeAiOauth": {}}},
        {"home/.claude/.credentials.json": ["what?"]},
        {"own/.credentials.json": LOGIN},
    ],
)
def test_nobody_pays(files: Files, tmp_path: Path) -> None:
    assert look(tmp_path, {}, files) == Account("not logged in", logged_in=False)


def look(folder: Path, variables: dict[str, str], files: Files) -> Account:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    seen = {name: value.replace("@", str(folder)) for name, value in variables.items()}
    return account(seen | {"HOME": str(folder / "home")}, folder / "work")
