"""Counts of a cache."""


class Stats:
    def __init__(self):
        self.hits = 0
        self.misses = 0

    def hit(self):
        self.hits += 1

    def miss(self):
        self.misses += 1

    @property
    def ratio(self):
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0
