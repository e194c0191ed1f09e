"""Where the dashboard of this home is while it runs: messages to people who are away lead there.

The address is no secret; what it takes to act there (the token) is never written down.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files
from ralph.process import table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "dashboard.json"


class Announced(Struct, frozen=True):
    address: str
    pid: int
    start: int
    """With the pid it identifies the process."""


@contextmanager
def announced(home: Path, address: str) -> Iterator[None]:
    """Others know of this dashboard as long as it is there."""
    own = table.entry(os.getpid())
    mine = Announced(address, os.getpid(), own.start if own is not None else 0)
    path = home / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    files.write(path, msgspec.json.encode(mine), durable=False)
    try:
        yield
    finally:
        if _read(path) == mine:  # a later one may have taken its place
            path.unlink(missing_ok=True)


def link(home: Path, project: str = "") -> str:
    """Where a person finds what is asked of them; nothing if no dashboard runs."""
    found = _read(home / FILE)
    if found is None:
        return ""
    running = table.entry(found.pid)
    if running is None or running.dead or running.start != found.start:
        return ""
    return f"{found.address}p/{project}" if project else found.address


def _read(path: Path) -> Announced | None:
    try:
        return msgspec.json.decode(files.read(path) or b"", type=Announced)
    except msgspec.MsgspecError:
        return None
