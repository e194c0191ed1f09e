"""The wait after failures in a row. How long a used-up limit lasts is told by `remedy`."""

from __future__ import annotations

_LARGEST_EXPONENT = 1_000
"""The largest float is a little below 2**1024."""


def backoff(failures: int, *, cap: float, jitter: float) -> float:
    """Seconds to wait after so many failures in a row: min(2**failures, cap) x (0.5 + jitter / 2).

    A jitter in [0, 1) spreads the wait between half and the whole of it, never above the cap.
    Without a failure, or with a cap of 0, there is no wait.
    """
    if failures <= 0 or cap <= 0:
        return 0.0
    whole = min(2.0 ** min(failures, _LARGEST_EXPONENT), cap)
    return whole * (0.5 + min(max(jitter, 0.0), 1.0) / 2)
