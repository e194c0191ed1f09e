"""Which secrets this machine holds: read once, when a run begins, and kept in memory only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ralph.policy.secrets import naming
from ralph.policy.secrets.known import known
from ralph.policy.secrets.masker import Masker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ralph.domain.settings import Settings
    from ralph.policy.secrets.known import KnownSecrets

LARGEST = 1 << 20
"""Bytes of a file that is read for its secrets."""
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)")
_LOGINS = {
    "claude": (".claude/.credentials.json", ".claude.json"),
    "codex": (".codex/auth.json",),
    "gemini": (".gemini/oauth_creds.json", ".gemini/google_accounts.json"),
    "opencode": (".local/share/opencode/auth.json",),
}
_HOMES = {
    "claude": ("CLAUDE_CONFIG_DIR", ".credentials.json"),
    "codex": ("CODEX_HOME", "auth.json"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini/oauth_creds.json"),
    "opencode": ("XDG_DATA_HOME", "opencode/auth.json"),
}
_IN_LOGINS = frozenset(("access", "refresh"))


def masker(settings: Settings, root: Path, environ: Mapping[str, str]) -> Masker | None:
    """Knows the secrets of this repository and this user; None where masking is switched off."""
    if not settings.safety.mask:
        return None
    return Masker(known_here(settings, root, environ), settings.safety.mask_allow)


def known_here(settings: Settings, root: Path, environ: Mapping[str, str]) -> KnownSecrets:
    allowed = settings.safety.mask_allow
    found = _values(settings, root, environ)
    return known({name: value for name, value in found if value not in allowed})


def _values(
    settings: Settings, root: Path, environ: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    passed = _passed(settings)
    yield from _telling(environ, passed)
    for path in sorted(root.glob(".env*")):
        yield from _telling(_of_env_file(path), passed)
    for agent, path in _logins(environ):
        for number, value in enumerate(_of_login(path)):
            yield f"login of {agent}{' ' * (number > 0)}{number or ''}", value


def _passed(settings: Settings) -> frozenset[str]:
    """Variables that agents or checks see by name."""
    names = [*settings.claude.env, *settings.verification.env]
    for agent in settings.agents.values():
        names += agent.env
    return frozenset(names)


def _telling(variables: Mapping[str, str], passed: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Those with a telling name, those that are passed on, and passwords in addresses."""
    for name, value in variables.items():
        called = f"value of {name}"
        if naming.is_secret(name) or name in passed:
            yield called, value
        elif "://" in value:
            password = _password(value)
            if password:
                yield called, password


def _password(address: str) -> str:
    try:
        return unquote(urlsplit(address).password or "")
    except ValueError:
        return ""


def _of_env_file(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _read(path).splitlines():
        match = _LINE.fullmatch(line)
        if match:
            value = match[2].strip()
            quote = value[:1]
            if quote in ("'", '"') and value.find(quote, 1) > 0:
                value = value[1 : value.find(quote, 1)]
            else:
                value = value.partition(" #")[0].rstrip()
            found[match[1]] = value
    return found


def _logins(environ: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    home = environ.get("HOME", "")
    for agent, files in _LOGINS.items():
        variable, file = _HOMES[agent]
        if environ.get(variable):
            yield agent, Path(environ[variable]) / file
        for name in files if home else ():
            yield agent, Path(home) / name


def _of_login(path: Path) -> list[str]:
    try:
        content = json.loads(_read(path) or "null")
    except (ValueError, RecursionError):
        return []
    return list(dict.fromkeys(_strings(content, "")))


def _strings(content: object, name: str) -> Iterator[str]:
    if isinstance(content, dict):
        for key, value in content.items():
            yield from _strings(value, str(key))
    elif isinstance(content, list):
        for value in content:
            yield from _strings(value, name)
    elif isinstance(content, str) and (naming.is_secret(name) or name in _IN_LOGINS):
        yield content


def _read(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return ""
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""
