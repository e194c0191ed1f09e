"""Chance that can be repeated: a failure shows the seed."""

from __future__ import annotations

import os
import random

FULL = os.environ.get("RALPH_TORTURE") == "full"
"""Whether there is time for the long versions (`make torture`)."""
SEED = int(os.environ.get("RALPH_SEED") or os.getpid())


def seeded() -> random.Random:
    print(f"RALPH_SEED={SEED}")  # noqa: T201 - shown with a failure
    return random.Random(SEED)  # noqa: S311 - nothing secret
