"""Who pays for Claude Code, told without a request.

Looked at, in the order in which the program itself prefers them:

1. `CLAUDE_CODE_USE_BEDROCK`, `CLAUDE_CODE_USE_VERTEX`, `CLAUDE_CODE_USE_FOUNDRY`
2. `ANTHROPIC_AUTH_TOKEN`, `ANTHROPIC_API_KEY`
3. `apiKeyHelper` in its settings
4. `CLAUDE_CODE_OAUTH_TOKEN`
5. the login that `claude` has kept: `claudeAiOauth` in `.credentials.json`, or the key of a
   console account in `.claude.json`

Variables count only if the program would see them: those of Ralph's own environment that
`claude.env` lets through, and those under `env` in the program's settings. Its files are in
`CLAUDE_CONFIG_DIR` (`~/.claude` without it) and `.claude/` of the repository.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.agents.fields import Fields, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROVIDERS = {
    "CLAUDE_CODE_USE_BEDROCK": "Amazon Bedrock",
    "CLAUDE_CODE_USE_VERTEX": "Google Vertex AI",
    "CLAUDE_CODE_USE_FOUNDRY": "Microsoft Foundry",
}
_KEYS = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY")
_TOKEN = "CLAUDE_CODE_OAUTH_TOKEN"  # noqa: S105 - the name of a variable
_OFF = ("", "0", "false", "no", "off")


class Account(Struct, frozen=True):
    """Who pays."""

    who: str
    logged_in: bool = True


def account(variables: Mapping[str, str], workspace: Path) -> Account:
    """The account that Claude Code would use with these variables in this folder."""
    home = Path(variables.get("HOME") or Path.home())
    own = variables.get("CLAUDE_CONFIG_DIR")
    folder = Path(own) if own else home / ".claude"
    settings = [
        _read(workspace / ".claude" / "settings.local.json"),
        _read(workspace / ".claude" / "settings.json"),
        _read(folder / "settings.json"),
    ]
    seen = dict(variables)
    for one in reversed(settings):
        seen |= {name: str(value) for name, value in one.inner("env").raw.items()}
    return (
        _by_variable(seen)
        or _by_helper(settings)
        or _by_token(seen)
        or _by_login(folder, Path(own) if own else home)
        or Account("not logged in", logged_in=False)
    )


def _by_variable(seen: Mapping[str, str]) -> Account | None:
    for name, provider in _PROVIDERS.items():
        if seen.get(name, "").lower() not in _OFF:
            return Account(f"{provider} ({name})")
    return next((Account(f"API key ({name})") for name in _KEYS if seen.get(name)), None)


def _by_helper(settings: list[Fields]) -> Account | None:
    helps = any(one.text("apiKeyHelper") for one in settings)
    return Account("API key (apiKeyHelper in its settings)") if helps else None


def _by_token(seen: Mapping[str, str]) -> Account | None:
    return Account(f"subscription ({_TOKEN})") if seen.get(_TOKEN) else None


def _by_login(folder: Path, state: Path) -> Account | None:
    credentials = folder / ".credentials.json"
    login = _read(credentials).inner("claudeAiOauth")
    if login.text("accessToken") or login.text("refreshToken"):
        plan = login.text("subscriptionType")
        return Account(f"subscription{f' {plan}' if plan else ''} (login in {credentials})")
    console = state / ".claude.json"
    return (
        Account(f"API key (login in {console})") if _read(console).text("primaryApiKey") else None
    )


def _read(path: Path) -> Fields:
    try:
        return Fields(parse(path.read_bytes()))
    except OSError:
        return Fields(None)
