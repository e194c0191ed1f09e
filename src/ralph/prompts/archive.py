"""The prompts as they were given, and the end of old ones."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ralph import files

if TYPE_CHECKING:
    from pathlib import Path

_NAME = re.compile(r"iteration-([0-9]+)(?:[-.].*)?", re.DOTALL)


def store(folder: Path, iteration: int, prompt: str, *, retry: int = 0) -> Path:
    """Write the prompt of an iteration, or of its `retry`-th retry, and say where."""
    suffix = f"-r{retry}" if retry else ""
    path = folder / f"iteration-{iteration}{suffix}.md"
    # The agent reads it at once; after a power cut only this copy can be missing.
    files.write(path, prompt, durable=False)
    return path


def prune(folder: Path, keep: int) -> tuple[str, ...]:
    """Remove the files of all iterations but the newest `keep`; the names, oldest first.

    Only plain files called `iteration-<n>…` are ever removed, and none if `keep` is below 1.
    """
    found = _files(folder) if keep > 0 else {}
    old = sorted(found)[:-keep] if found else []
    removed = []
    for number in old:
        for name in sorted(found[number]):
            _remove(folder / name)
            removed.append(name)
    return tuple(removed)


def _files(folder: Path) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                match = _NAME.fullmatch(entry.name)
                if match and entry.is_file(follow_symlinks=False):
                    found.setdefault(int(match[1]), []).append(entry.name)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise files.explain(error, folder, "read") from error
    return found


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise files.explain(error, path, "remove") from error
