class TestStats:
    def test_ratio(self, cache):
        cache.set("a", 1)
        cache.get("a")
        cache.get("b")
        assert cache.stats.ratio == 0.5

    def test_never_asked(self, cache):
        assert cache.stats.ratio == 0.0
