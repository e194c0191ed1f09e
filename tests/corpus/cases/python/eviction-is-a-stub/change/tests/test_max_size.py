import inspect

from cachebox import Cache


class TestMaxSize:
    def test_option(self):
        assert "max_size" in inspect.signature(Cache).parameters
        assert Cache(ttl=10, max_size=3).max_size == 3

    def test_no_limit_by_default(self, cache):
        assert cache.max_size is None

    def test_evicts(self):
        assert callable(Cache(ttl=10, max_size=3)._evict)

    def test_counter(self, cache):
        assert cache.evicted == 0
