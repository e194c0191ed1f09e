from throttle import TokenBucket


def test_an_idle_bucket_does_not_overflow(clock):
    bucket = TokenBucket(1, 2, clock)
    clock.advance(3600)
    assert [bucket.allow() for _ in range(4)] == [True, True, False, False]
