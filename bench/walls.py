"""A child between walls: what its start costs."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bench.figures import Figure, interleaved
from ralph.process import Child, environment, run
from ralph.process.sandbox import try_walls

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROUNDS = 60
MOST = 15.0
"""Milliseconds that walls may add."""


def starts(folder: Path) -> Iterator[Figure]:
    """`true`, with the rights of the user and between walls."""
    walls = asyncio.run(try_walls(os.environ)).walls
    plain = Child(("/bin/true",), folder, environment(os.environ))
    target = f"≤ floor + {MOST:g} ms"
    if walls is None:
        yield Figure("a child between walls", 0, "ms", target, met=False, note="there are none")
        return
    own = replace(plain, walls=replace(walls, write=(str(folder),)))
    floor, ours = interleaved(
        lambda: asyncio.run(run(plain)), lambda: asyncio.run(run(own)), ROUNDS
    )
    yield Figure("a child between walls", ours, "ms", target, ours - floor <= MOST, floor)
