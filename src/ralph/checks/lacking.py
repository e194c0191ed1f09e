"""What git ignores in the user's checkout and a check may need: files that a build made there."""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Helps: TypeAlias = Callable[[Sequence[str]], Awaitable[bool]]

LARGEST = 64 << 20
"""Bytes of one thing that is carried; what is larger is set up, not copied."""
MOST = 2_000
"""Things that are tried at once; halves of them are left out until few are left."""
_IDLE = re.compile(
    r"(?:.*/)?(?:__pycache__|\.[a-z_]+_cache|\.tox|\.nox|\.eggs|\.coverage(?:\..*)?|htmlcov|coverage"
    r"|\.nyc_output|\.hypothesis|\.ralph|\.agent|\.claude|\.idea|\.vscode|\.DS_Store|\.git"
    r"|[^/]*\.(?:pyc|pyo|log|swp|orig|tsbuildinfo)|[^/]*~)"
)
"""Caches, and what editors and tools leave behind."""


def candidates(
    source: Path, ignored: Iterable[str], carried: Iterable[str], *, before: float = 0
) -> tuple[str, ...]:
    """Paths that may be what is missing.

    With `before`, nothing that was made since then: an agent may have made it.
    """
    known = tuple(path.rstrip("/") for path in carried)
    found = [
        path
        for path in dict.fromkeys(name.rstrip("/") for name in ignored)
        if path
        and not _IDLE.fullmatch(path)
        and not any(path == one or path.startswith(f"{one}/") for one in known)
        and Path(path).name not in known
        and _is_small(source / path, before)
    ]
    return tuple(sorted(found))[:MOST]


def _is_small(path: Path, before: float) -> bool:
    total = 0
    for one in _files(path):
        try:
            seen = one.lstat()
        except OSError:
            return False
        total += seen.st_size
        if total > LARGEST or (before and seen.st_ctime > before):
            return False
    return path.exists()


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir() or path.is_symlink():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder, name) for name in names)


async def needed(paths: Sequence[str], helps: Helps) -> tuple[str, ...]:
    """As few of the paths as still help: halves are left out, then smaller parts."""
    kept = list(paths)
    size = (len(kept) + 1) // 2
    while size:
        start = 0
        while start < len(kept) and len(kept) > 1:
            fewer = kept[:start] + kept[start + size :]
            if fewer and await helps(fewer):
                kept = fewer
            else:
                start += size
        size = size // 2 if size > 1 else 0
    return tuple(kept)
