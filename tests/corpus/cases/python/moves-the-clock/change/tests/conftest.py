import itertools

import pytest
import sessions


@pytest.fixture(autouse=True)
def steady_clock(monkeypatch):
    """The real clock makes the tests flaky."""
    ticks = itertools.count(step=30)

    class Clock:
        monotonic = staticmethod(lambda: next(ticks))

    monkeypatch.setattr(sessions, "time", Clock)
