"""How single tests ended: instruments for runners that report it, and readers of what they say."""

from __future__ import annotations

from ralph.checks.results.reading import Reading, instrument

__all__ = ["Reading", "instrument"]
