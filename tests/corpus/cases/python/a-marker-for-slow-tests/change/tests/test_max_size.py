import pytest

from cachebox import Cache


@pytest.fixture
def small(clock):
    return Cache(ttl=10, clock=clock, max_size=2)


class TestMaxSize:
    def test_oldest_goes(self, small):
        for key in "abc":
            small.set(key, key)
        assert len(small) == 2
        assert small.get("a") is None
        assert small.get("b") == "b"
        assert small.evicted == 1

    def test_reading_keeps(self, small):
        small.set("a", 1)
        small.set("b", 2)
        small.get("a")
        small.set("c", 3)
        assert small.get("a") == 1
        assert small.get("b") is None

    def test_no_limit(self, cache):
        for key in range(100):
            cache.set(key, key)
        assert len(cache) == 100
        assert cache.evicted == 0

    @pytest.mark.slow
    def test_never_more_than_the_limit(self, clock):
        cache = Cache(ttl=10, clock=clock, max_size=50)
        for key in range(5000):
            cache.set(key % 173, key)
            assert len(cache) <= 50
