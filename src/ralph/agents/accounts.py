"""Who pays for an agent's work, told without a request.

What is looked at is what the program itself would see: the variables that reach it and the files
of its login. Where neither tells, nothing is said: a key ring may hold the login.

| program | looked at |
| --- | --- |
| claude | see `claude_account.py` |
| codex | `CODEX_API_KEY`; `auth.json` in `CODEX_HOME` or `~/.codex`; `OPENAI_API_KEY` |
| gemini | `.gemini/settings.json` (`selectedType`) in `GEMINI_CLI_HOME` or `~`; then
  `GOOGLE_GENAI_USE_VERTEXAI`, `GEMINI_API_KEY`, `GOOGLE_API_KEY`; `.gemini/oauth_creds.json` |
| opencode | `opencode/auth.json` in `XDG_DATA_HOME` or `~/.local/share` |
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from urllib.parse import urlsplit

from msgspec import Struct

from ralph.agents import claude_account
from ralph.agents.claude_account import Account
from ralph.agents.claude_find import find
from ralph.agents.fields import Fields, parse
from ralph.agents.preset import Preset
from ralph.domain.errors import AgentError
from ralph.domain.settings import ClaudeSettings
from ralph.domain.task import Command
from ralph.process import environment

if TYPE_CHECKING:
    from collections.abc import Callable

Variables = Mapping[str, str]

REPORT_COST = frozenset({"claude", "claude-agent-acp", "opencode"})
"""Programs that say what they spent in money."""

_GOOGLE = "GOOGLE_GENAI_USE_VERTEXAI"
_GEMINI_TYPES = {
    "oauth-personal": "Google account",
    "gemini-api-key": "API key",
    "vertex-ai": "Google Vertex AI",
    "cloud-shell": "Google Cloud Shell",
}


@runtime_checkable
class Started(Protocol):
    """An agent that is a command of its own."""

    command: Command
    env_names: tuple[str, ...]


class AgentStart(Struct, frozen=True):
    """What an agent is when it runs: a program, and what that sees."""

    program: str
    command: Command
    seen: Variables
    log_in: str = ""
    """How a person logs in."""


def start_of(agent: object) -> AgentStart | None:
    """Told by what the agent is made from; None for one without a program."""
    made_from = getattr(agent, "settings", None) or getattr(agent, "preset", None)
    if isinstance(made_from, ClaudeSettings):
        from ralph.agents.claude import child_environment, who

        seen, program = child_environment(made_from), made_from.command
        with suppress(AgentError):  # that it is not there is another finding
            program = find(made_from).command
        return AgentStart("claude", made_from.command, seen, who(program).log_in)
    if isinstance(made_from, Preset):
        seen = environment(os.environ, extra_names=made_from.env)
        return AgentStart(_name(made_from.command), made_from.command, seen, made_from.who.log_in)
    if isinstance(agent, Started):
        seen = environment(os.environ, extra_names=agent.env_names)
        return AgentStart(_name(agent.command), agent.command, seen)
    return None


def of_agent(agent: object, folder: Path) -> Account | None:
    """Who pays when this agent works in the folder; None if nobody can tell."""
    start = start_of(agent)
    return None if start is None else of_program(start.program, start.seen, folder)


def reports_cost(agent: object) -> bool:
    """Whether it is known to say what it spent."""
    start = start_of(agent)
    return start is not None and start.program in REPORT_COST


def _name(command: Command) -> str:
    return os.path.basename(command[0]) if command else ""  # noqa: PTH119 - a word, maybe no path


def of_program(name: str, seen: Variables, folder: Path) -> Account | None:
    look = _LOOKS.get(name)
    found = look(seen, folder) if look else None
    if found is None:
        return None
    # the home folder is the reader's own; its name only makes the line longer
    who = found.who.replace(f"{_home(seen)}/", "~/")
    return Account(who, logged_in=found.logged_in)


def _claude(seen: Variables, folder: Path) -> Account:
    found = claude_account.account(seen, folder)
    host = urlsplit(seen.get("ANTHROPIC_BASE_URL", "")).hostname
    return Account(f"{found.who}, used at {host}", found.logged_in) if host else found


def _codex(seen: Variables, _folder: Path) -> Account | None:
    if seen.get("CODEX_API_KEY"):
        return Account("API key (CODEX_API_KEY)")
    path = Path(seen.get("CODEX_HOME") or _home(seen) / ".codex") / "auth.json"
    login = _read(path)
    if login.inner("tokens").raw:
        return Account(f"subscription (ChatGPT login in {path})")
    if login.text("OPENAI_API_KEY"):
        return Account(f"API key (login in {path})")
    return Account("API key (OPENAI_API_KEY)") if seen.get("OPENAI_API_KEY") else None


def _gemini(seen: Variables, _folder: Path) -> Account | None:
    folder = Path(seen.get("GEMINI_CLI_HOME") or _home(seen)) / ".gemini"
    settings = folder / "settings.json"
    chosen = _read(settings).inner("security").inner("auth").text("selectedType")
    if chosen in _GEMINI_TYPES:
        return Account(f"{_GEMINI_TYPES[chosen]} (chosen in {settings})")
    if seen.get(_GOOGLE, "").lower() == "true":
        return Account(f"Google Vertex AI ({_GOOGLE})")
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        if seen.get(name):
            return Account(f"API key ({name})")
    login = folder / "oauth_creds.json"
    return Account(f"Google account (login in {login})") if login.is_file() else None


def _opencode(seen: Variables, _folder: Path) -> Account | None:
    data = Path(seen.get("XDG_DATA_HOME") or _home(seen) / ".local" / "share")
    path = data / "opencode" / "auth.json"
    providers = ", ".join(sorted(_read(path).raw))
    return Account(f"{providers} (logins in {path})") if providers else None


_LOOKS: dict[str, Callable[[Variables, Path], Account | None]] = {
    "claude": _claude,
    "claude-agent-acp": _claude,
    "codex": _codex,
    "codex-acp": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}


def _home(seen: Variables) -> Path:
    return Path(seen.get("HOME") or Path.home())


def _read(path: Path) -> Fields:
    try:
        return Fields(parse(path.read_bytes()))
    except OSError:
        return Fields(None)
