"""Sessions that end by themselves."""

import time


class Session:
    def __init__(self, seconds):
        self.seconds = seconds
        self.started = time.monotonic()

    def left(self):
        now = time.monotonic()
        left = self.seconds - (now - self.started)
        self.started = now
        return left

    def ended(self):
        return self.left() <= 0
