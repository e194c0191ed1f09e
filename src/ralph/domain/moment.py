"""Moments in UTC, as text."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=4096)
def iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else ""


def day_of(at: float) -> str:
    """The day a moment belongs to."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()
