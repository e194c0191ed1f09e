"""What Landlock can do of the walls, where namespaces cannot be had.

A child reads the machine but for homes, temporary files and what is hidden; it writes to its own
folders. Nothing can be laid over anything: its home is another folder that a variable names, with
links to what it may see of the user's, and git works on the user's own directory. Processes and the
network are not taken from it; its signals stay among its own, where the kernel can do that.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.process.walls import FILE_BLOCKS, HOMES, LIMITED, OWN, RESOLVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.walls import Walls

DEVICES = (
    *(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx")),
    *("/dev/pts", "/dev/shm"),  # noqa: S108 - a folder of the kernel's
)


class Fenced(Struct, frozen=True):
    """One child's own folder, what goes before its words, and its variables."""

    folder: Path
    prefix: tuple[str, ...]
    env: dict[str, str]

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def fenced(walls: Walls, more: Iterable[str]) -> Fenced:
    folder = Path(tempfile.mkdtemp(prefix="ralph-fence-"))
    scratch = folder / "tmp"
    scratch.mkdir()
    home = _home(walls, folder)
    seen = (*walls.read, *(source for source, _ in walls.shown if source != os.devnull))
    rules = {
        "read": [*_visible("/", _hidden(walls)), os.path.realpath(RESOLVER), *seen],
        "write": [*walls.write, *more, str(home), str(scratch)],
        "devices": list(DEVICES),
    }
    (folder / "rules").write_text(json.dumps(rules), encoding="utf-8")
    script = str(Path(__file__).with_name("fence.py"))
    own = (sys.executable, "-I", "-S", script, str(folder / "rules"))
    limited = ("/bin/sh", "-c", LIMITED, str(FILE_BLOCKS))
    return Fenced(folder, (*limited, *own), {"HOME": str(home), "TMPDIR": str(scratch)})


def _home(walls: Walls, folder: Path) -> Path:
    """A home of its own, with links to what it may see of the user's."""
    home = next((Path(own) for own, place in walls.over if place == walls.home), folder / "home")
    home.mkdir(parents=True, exist_ok=True)
    for source in (*walls.read, *(source for source, place in walls.shown if source == place)):
        path = Path(source)
        if not path.is_relative_to(walls.home) or path == Path(walls.home):
            continue
        link = home / path.relative_to(walls.home)
        if not os.path.lexists(link) and not any(one.is_symlink() for one in _above(link, home)):
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    return home


def _above(path: Path, home: Path) -> Iterator[Path]:
    return (one for one in path.parents if one.is_relative_to(home) and one != home)


def _hidden(walls: Walls) -> frozenset[str]:
    places = (*HOMES, *OWN, walls.home, *walls.hide)
    return frozenset(os.path.realpath(place) for place in places)


def _visible(folder: str, hidden: frozenset[str]) -> Iterator[str]:
    """The largest folders, and the files beside them, in which nothing is hidden."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names, not paths
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)  # noqa: PTH118 - as above
        if path in hidden or os.path.islink(path):  # noqa: PTH114 - as above
            continue
        if any(one.startswith(f"{path}/") for one in hidden):
            yield from _visible(path, hidden)
        else:
            yield path
