"""What agents leave for each other: progress.md, AGENTS.md and the scratchpad.

progress.md is a view. An agent may append to it; its additions become events and the file is
rewritten, so a change to older text lasts no longer than the iteration.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import files
from ralph.prompts.additions import Additions, additions
from ralph.prompts.progress import Header, ProgressEntry, feature_of, render, same_feature

if TYPE_CHECKING:
    from ralph.domain.settings import MemorySettings

__all__ = [
    "Additions",
    "Header",
    "ProgressEntry",
    "additions",
    "agents_md",
    "archive",
    "feature_of",
    "progress",
    "render",
    "same_feature",
    "scratchpad",
    "write_progress",
]

MOST_BYTES = 262_144
"""Of any of these files; an agent may have written without end."""


def progress(root: Path, settings: MemorySettings) -> str:
    return _read(root, settings.progress_file)


def write_progress(root: Path, settings: MemorySettings, text: str) -> None:
    files.write(root / settings.progress_file, text, durable=False)


def agents_md(root: Path) -> str:
    return _read(root, "AGENTS.md")


def scratchpad(root: Path, settings: MemorySettings) -> str:
    return _read(root, settings.scratchpad, from_end=True)


def archive(root: Path, settings: MemorySettings, feature: str, date: str) -> Path | None:
    """Put away the progress file of `feature`, which another one follows; where it went.

    Whether another feature starts is for the caller to say: see `progress.same_feature`.
    """
    path = root / settings.progress_file
    try:
        data = files.read(path)
    except OSError as error:
        raise files.explain(error, path, "read") from error
    if data is None:
        return None
    target = _free(root / settings.archive_dir, f"{date}-{_slug(feature)}", data)
    # Written before the original goes: a kill in between leaves two copies, never none.
    files.write(target, data)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise files.explain(error, path, "remove") from error
    return target


def _free(folder: Path, name: str, data: bytes) -> Path:
    """A place that is not taken, or that already holds the same from a start cut short."""
    number = 1
    while True:
        suffix = f"-{number}" if number > 1 else ""
        target = folder / f"{name}{suffix}" / "progress.md"
        if not target.exists() or files.read(target) == data:
            return target
        number += 1


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].rstrip("-") or "unnamed"


def _read(root: Path, name: str, *, from_end: bool = False) -> str:
    """A bounded part of a plain file inside `root`; nothing if there is no such file.

    An agent can put anything there: a pipe would block, a link could lead to a secret.
    """
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(os.path.realpath(root)):
        return ""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        # Notes are a help, not a condition: without them the agent still has its task.
        return ""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        return ""
    with os.fdopen(handle, "rb") as file:
        if from_end and status.st_size > MOST_BYTES:
            file.seek(-MOST_BYTES, os.SEEK_END)
        return file.read(MOST_BYTES).decode("utf-8", "replace")
