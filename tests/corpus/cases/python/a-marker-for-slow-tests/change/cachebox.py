"""A cache whose entries expire."""

import time

from stats import Stats


class Cache:
    def __init__(self, ttl, clock=time.monotonic, max_size=None):
        self.ttl = ttl
        self.max_size = max_size
        self.evicted = 0
        self.stats = Stats()
        self._clock = clock
        self._entries = {}

    def set(self, key, value):
        self._entries.pop(key, None)
        self._entries[key] = (value, self._clock() + self.ttl)
        while self.max_size is not None and len(self._entries) > self.max_size:
            # A dict keeps its order: the first key was used the longest time ago.
            del self._entries[next(iter(self._entries))]
            self.evicted += 1

    def get(self, key, default=None):
        value, expires = self._entries.get(key, (default, None))
        if expires is None or expires <= self._clock():
            self._entries.pop(key, None)
            self.stats.miss()
            return default
        self._entries[key] = self._entries.pop(key)
        self.stats.hit()
        return value

    def __len__(self):
        return len(self._entries)
