"""Sessions that end by themselves."""

import time


class Session:
    def __init__(self, seconds):
        self.seconds = seconds
        self.started = time.monotonic()

    def left(self):
        return self.seconds - (time.monotonic() - self.started)

    def ended(self):
        return self.left() <= 0
