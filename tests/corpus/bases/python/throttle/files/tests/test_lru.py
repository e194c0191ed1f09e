from lru import LRU


def test_values_are_kept():
    cache = LRU(2)
    cache.put("a", 1)
    assert cache.get("a") == 1
    assert cache.get("b") is None
    assert cache.get("b", 7) == 7


def test_the_oldest_goes():
    cache = LRU(2)
    for key in "abc":
        cache.put(key, key)
    assert "a" not in cache
    assert len(cache) == 2


def test_hits_and_misses():
    cache = LRU(1)
    cache.get("a")
    cache.put("a", 1)
    cache.get("a")
    assert (cache.hits, cache.misses) == (1, 1)
