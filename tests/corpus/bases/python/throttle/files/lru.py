"""A cache of limited size."""

from collections import OrderedDict


class LRU:
    """Forgets what was used least recently."""

    def __init__(self, size):
        self.size = size
        self._data = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key, default=None):
        if key not in self._data:
            self.misses += 1
            return default
        self.hits += 1
        return self._data[key]

    def put(self, key, value):
        self._data[key] = value
        if len(self._data) > self.size:
            self._data.popitem(last=False)

    def __len__(self):
        return len(self._data)

    def __contains__(self, key):
        return key in self._data
