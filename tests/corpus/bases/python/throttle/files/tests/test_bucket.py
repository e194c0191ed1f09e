import pytest

from throttle import TokenBucket


def test_a_burst_is_limited(clock):
    bucket = TokenBucket(1, 3, clock)
    assert [bucket.allow() for _ in range(4)] == [True, True, True, False]


def test_tokens_come_back(clock):
    bucket = TokenBucket(2, 2, clock)
    assert bucket.allow(2)
    assert not bucket.allow()
    clock.advance(0.5)
    assert bucket.allow()
    assert not bucket.allow()


@pytest.mark.parametrize(("rate", "capacity"), [(0, 1), (1, 0), (-1, 1)])
def test_nonsense(rate, capacity):
    with pytest.raises(ValueError):
        TokenBucket(rate, capacity)
