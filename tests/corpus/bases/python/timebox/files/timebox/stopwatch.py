"""A stopwatch that can be told the time."""

import time

from timebox.durations import format_duration


class Stopwatch:
    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._started = None
        self._sum = 0

    def start(self):
        if self._started is None:
            self._started = self._clock()

    def stop(self):
        if self._started is not None:
            self._sum += self._clock() - self._started
            self._started = None

    def __str__(self):
        return format_duration(int(self._sum))
