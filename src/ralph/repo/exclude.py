"""Which untracked files are not the agent's work, in git's own language."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.repo.git import Git

OURS = (
    "/.ralph/*",
    "!/.ralph/tasks",
    "!/.ralph/parent-task-id",
    "/.agent/",
    f".*{files.UNFINISHED}",
)
_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


def write(path: Path, global_rules: bytes, names: Iterable[str] = ()) -> None:
    """An excludes file: the user's global rules, Ralph's own folders, and these very paths."""
    lines = [os.fsencode(line) for line in (*OURS, *(pattern(n) for n in names if "\n" not in n))]
    files.write(path, global_rules.rstrip(b"\n") + b"\n" + b"\n".join(lines) + b"\n", durable=False)


def pattern(name: str) -> str:
    """Matches this path from the root and no other."""
    return "/" + _SPECIAL.sub(r"\\\1", name)


def is_ours(name: str) -> bool:
    """Whether Ralph keeps the path out of commits: its own folders, files it is still writing."""
    if name.startswith(".agent/") or name.endswith(files.UNFINISHED):
        return True
    inside = name.removeprefix(".ralph/")
    return inside != name and not inside.startswith("tasks/") and inside != "parent-task-id"


def global_rules(git: Git) -> bytes:
    """What the user ignores everywhere; our own excludes file stands in for that one."""
    named = git.ask("config", "--path", "core.excludesFile")
    if not named.code:
        path = Path(os.fsdecode(named.out.rstrip(b"\n")))
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        path = Path(base) / "git" / "ignore"
    try:
        return files.read(path) or b""
    except OSError:
        return b""  # unreadable: git itself would continue without it
