"""Chance that can be repeated: a failure shows the seed."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

FULL = os.environ.get("RALPH_TORTURE") == "full"
"""Whether there is time for the long versions (`make torture`)."""
SEED = int(os.environ.get("RALPH_SEED") or os.getpid())


def seeded() -> random.Random:
    print(f"RALPH_SEED={SEED}")  # noqa: T201 - shown with a failure
    return random.Random(SEED)  # noqa: S311 - nothing secret


def examples(most: int) -> int:
    """How many examples hypothesis tries for one test: all where there is time."""
    return most if FULL else max(most // 4, 10)


def some(everything: Sequence[T], share: int) -> list[T]:
    """Every n-th of them; all where there is time."""
    return list(everything) if FULL else list(everything[::share])
