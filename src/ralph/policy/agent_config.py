"""Files that tell agents, editors and git hooks what to do: writing them is acting for others.

What lands there works on other people's machines, and on the next agent, without anyone calling it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ralph.domain.task import Task


class ConfigKind(Struct, frozen=True):
    """Files that obey one sort of program, and the words by which a task speaks of it."""

    folders: tuple[str, ...]
    files: tuple[str, ...]
    words: str


KINDS = (
    ConfigKind(
        (
            *(".claude", ".cursor", ".gemini", ".codex", ".opencode", ".kiro", ".amazonq"),
            *(".windsurf", ".continue", ".roo"),
        ),
        (
            *("CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".mcp.json", "opencode.json"),
            *(".cursorrules", ".windsurfrules", ".clinerules", ".aider.conf.yml", ".goosehints"),
        ),
        r"claude|agents?|mcp|cursor|gemini|codex|copilot|opencode",
    ),
    ConfigKind(
        (".vscode", ".idea", ".fleet", ".zed", ".devcontainer"),
        (".envrc", ".exrc", ".nvim.lua"),
        r"editor|vs ?code|idea|jetbrains|devcontainer|direnv",
    ),
    ConfigKind(
        (".husky", ".githooks", ".lefthook"),
        (".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", "lefthook.toml"),
        r"pre-?commit|hooks?|husky|lefthook|lint\w*|format\w*|ruff|mypy|flake8|eslint",
    ),
)
FOLDERS = tuple(name for kind in KINDS for name in kind.folders)
FILES = tuple(name for kind in KINDS for name in kind.files)
_PINNED = ".pre-commit-config.yaml"
_PIN = re.compile(r"\s*-?\s*rev:\s*\S+\s*(?:#.*)?|\s*")


def is_agent_config(path: str) -> bool:
    """Wherever it lies: agents and editors look for it in every folder they work in."""
    return _kind(path) is not None


def is_asked_for(task: Task) -> bool:
    """Whether the task mentions instructions for agents."""
    return not unasked(task, (f"{KINDS[0].folders[0]}/settings.json",), {})


def unasked(task: Task, paths: Iterable[str], lines: Mapping[str, str]) -> tuple[str, ...]:
    """Those of these files that the task does not speak of; `lines` are added and removed ones."""
    text = "\n".join((task.title, task.description, *task.criteria))
    return tuple(
        path
        for path in paths
        if (kind := _kind(path)) is not None
        and not re.search(rf"\b(?:{kind.words})\b", text, re.IGNORECASE)
        and not _only_pins(path, lines.get(path, ""))
    )


def _kind(path: str) -> ConfigKind | None:
    *folders, name = path.split("/")
    for kind in KINDS:
        if name in kind.files or not set(folders).isdisjoint(kind.folders):
            return kind
    return None


def _only_pins(path: str, lines: str) -> bool:
    """A hook's version that is raised is like any other dependency."""
    told = lines.splitlines()
    return path.endswith(_PINNED) and bool(told) and all(map(_PIN.fullmatch, told))
