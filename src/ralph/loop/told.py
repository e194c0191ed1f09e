"""What agents and editors are told by files that git ignores: a change there is in no difference.

It would work on the next agent, and on the person, although nobody has seen it.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ralph import files
from ralph.policy.agent_config import FILES, FOLDERS, unasked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ralph.domain.task import Task
    from ralph.loop.ports import Workspace


MOST = 20_000
LARGEST = 1 << 20
ODD = b"\0"
"""Before what stands for something that cannot be kept: a link, or a file that is too large."""


def take(ws: Workspace) -> dict[str, bytes]:
    """Those that are there, by name, with what they hold."""
    found = dict(_found(ws.root))
    hidden = ws.ignored_among(found)
    return {name: data for name, data in found.items() if name in hidden}


def changed(ws: Workspace, task: Task, before: Mapping[str, bytes]) -> dict[str, bytes | None]:
    """What they hold now, of those that were changed and of which the task does not speak."""
    now = take(ws)
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return {name: now.get(name) for name in unasked(task, names, {})}


def _found(root: Path) -> Iterator[tuple[str, bytes]]:
    for path in _there(root):
        if path.is_symlink() or path.is_file():
            yield str(path.relative_to(root)), _held(path)


def _held(path: Path) -> bytes:
    seen = path.lstat()
    if path.is_symlink() or seen.st_size > LARGEST:
        return ODD + f"{seen.st_size} {seen.st_ctime_ns}".encode()
    return files.read(path) or b""


def _there(root: Path) -> Iterator[Path]:
    yield from (root / name for name in FILES)
    for folder in (root / name for name in FOLDERS):
        if folder.is_dir() and not folder.is_symlink():
            yield from islice(folder.rglob("*"), MOST)
