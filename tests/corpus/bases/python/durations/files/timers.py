"""Count down from a duration."""

from durations import parse


class Timer:
    def __init__(self, duration):
        self.seconds = parse(duration)

    def remaining(self, elapsed):
        return max(0, self.seconds - elapsed)

    def done(self, elapsed):
        return self.remaining(elapsed) == 0
