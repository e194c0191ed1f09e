class TestGet:
    def test_value(self, cache):
        cache.set("a", 1)
        assert cache.get("a") == 1

    def test_default(self, cache):
        assert cache.get("a") is None
        assert cache.get("a", 5) == 5

    def test_overwritten(self, cache):
        cache.set("a", 1)
        cache.set("a", 2)
        assert cache.get("a") == 2
        assert len(cache) == 1


class TestExpiry:
    def test_kept(self, cache, clock):
        cache.set("a", 1)
        clock.now = 9
        assert cache.get("a") == 1

    def test_gone(self, cache, clock):
        cache.set("a", 1)
        clock.now = 10
        assert cache.get("a") is None
        assert len(cache) == 0
