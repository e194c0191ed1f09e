"""Objects on the disk before a ref names them: git leaves loose ones to the page cache."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from ralph import files
from ralph.repo.beside import beside

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MANY = 64
"""Above this, one flush of everything is quicker than one for each."""


def sync(folder: Path, objects: Iterable[str]) -> None:
    """Put these objects of an object folder on the disk. No process.

    Once for all that lands or is kept: git itself would wait for the disk in each of its processes.
    """
    wanted = {name for name in objects if name.strip("0")}
    if len(wanted) > MANY:
        os.sync()
        return
    # All at once: the file system then writes them in one go, not one after the other.
    flushes = [beside(partial(_flush, folder / name[:2] / name[2:])) for name in wanted]
    for flush in flushes:
        flush.result()


def _flush(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # in a pack, which git puts on the disk itself
    except OSError as error:
        raise files.explain(error, path, "read") from error
    try:
        os.fsync(handle)
    except OSError as error:
        raise files.explain(error, path) from error
    finally:
        os.close(handle)
