"""Files of a repository that make an agent run something by itself: hooks, servers, plugins.

Agents ask about them when a person starts them by hand, but not when they are started without a
terminal, as Ralph does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".gemini/.env",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".kiro/settings/mcp.json",
    ".amazonq/mcp.json",
)
FOLDERS = (
    ".gemini/extensions",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".kiro/hooks",
    ".kiro/agents",
    ".amazonq/cli-agents",
)
MOST = 1 << 20
"""Bytes of one file that are looked at; nobody writes settings of this size."""


def project_files(root: Path) -> Iterator[tuple[str, bytes]]:
    """Those that are there, with what they hold."""
    for name in (*FILES, *_below(root)):
        path = root / name
        try:
            # a pipe or a device would never end
            if not path.is_file():
                continue
            with path.open("rb") as file:
                held = file.read(MOST)
        except OSError:
            held = b"cannot be read"
        if held.strip():
            yield name, held


def _below(root: Path) -> Iterator[str]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            yield str(path.relative_to(root))
