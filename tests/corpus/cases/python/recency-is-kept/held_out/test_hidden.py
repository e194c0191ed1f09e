from ask import said


def test_recent():
    code = """
from lru import LRU
c = LRU(3)
for k in 'abc': c.put(k, k)
c.get('a'); c.put('b', 'B'); c.put('d', 'd')
print(sorted(k for k in 'abcd' if k in c), c.get('b'), c.hits)
"""
    assert said(code) == "['a', 'b', 'd'] B 2"
