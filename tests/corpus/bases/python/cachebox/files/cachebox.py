"""A cache whose entries expire."""

import time

from stats import Stats


class Cache:
    def __init__(self, ttl, clock=time.monotonic):
        self.ttl = ttl
        self.stats = Stats()
        self._clock = clock
        self._entries = {}

    def set(self, key, value):
        self._entries[key] = (value, self._clock() + self.ttl)

    def get(self, key, default=None):
        value, expires = self._entries.get(key, (default, None))
        if expires is None or expires <= self._clock():
            self._entries.pop(key, None)
            self.stats.miss()
            return default
        self.stats.hit()
        return value

    def __len__(self):
        return len(self._entries)
