"""Objects that a power cut left empty or half.

Git flushes few of the objects it writes, and Ralph those that refs will name. The others are of no
use to anyone, until the same content is written again: git sees that the object is there, and does
not look at it. So they have to go before anything new is written.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ASIDE = "ralph/broken"
"""Below the git folder: nothing is thrown away."""
_SHA1 = 40


def mend(common_dir: Path, since: float, *, killed: bool) -> tuple[str, ...]:
    """Put empty objects aside that are younger than `since`; after a kill, all that are not whole.

    A look at every loose object: milliseconds.
    """
    broken = [
        path
        for path, found in _loose(common_dir / "objects")
        if found.st_mtime >= since and (not found.st_size or (killed and not _is_whole(path)))
    ]
    aside = common_dir / ASIDE
    for path in broken:
        aside.mkdir(parents=True, exist_ok=True)
        path.rename(aside / _name(path))
    return tuple(map(_name, broken))


def _loose(objects: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for number in range(256):
        try:
            with os.scandir(objects / f"{number:02x}") as entries:
                for entry in entries:
                    yield Path(entry.path), entry.stat(follow_symlinks=False)
        except OSError:
            continue


def _name(path: Path) -> str:
    return path.parent.name + path.name


def _is_whole(path: Path) -> bool:
    name = _name(path)
    digest = hashlib.sha1(usedforsecurity=False) if len(name) == _SHA1 else hashlib.sha256()
    inflating = zlib.decompressobj()
    try:
        with path.open("rb") as file:
            while data := file.read(1 << 16):
                digest.update(inflating.decompress(data))
    except OSError:
        return True  # what cannot be read is not ours to judge
    except zlib.error:
        return False
    return inflating.eof and digest.hexdigest() == name
