import time

import pytest
from sessions import Session


@pytest.fixture
def clock(monkeypatch):
    now = [1000]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_new_session_has_not_ended(clock):
    assert not Session(60).ended()


def test_looking_does_not_prolong_a_session(clock):
    session = Session(20)
    for _ in range(3):
        clock[0] += 10
        session.left()
    assert session.ended()
