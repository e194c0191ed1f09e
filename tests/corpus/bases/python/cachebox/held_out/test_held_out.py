from ask import said


def test_limit():
    code = """
from cachebox import Cache
cache = Cache(60, max_size=2)
cache.set("a", 1); cache.set("b", 2); cache.get("a"); cache.set("c", 3)
print(len(cache), cache.get("a"), cache.get("b"), cache.get("c"), cache.evicted)
cache.set("a", 9); cache.set("d", 4)
print(len(cache), cache.get("a"), cache.get("c"), cache.get("d"), cache.evicted)
"""
    assert said(code) == "2 1 None 3 1\n2 9 None 4 2"


def test_no_limit():
    code = """
from cachebox import Cache
cache = Cache(60)
for i in range(500): cache.set(i, i)
print(len(cache), cache.get(0), cache.evicted)
"""
    assert said(code) == "500 0 0"
