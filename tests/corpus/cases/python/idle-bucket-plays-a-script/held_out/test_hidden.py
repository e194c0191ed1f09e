from ask import said


def test_idle():
    code = """
from throttle import TokenBucket
now = [0.0]
b = TokenBucket(1, 2, lambda: now[0])
for pause in (1000, 500, 10):
    now[0] += pause
    print([b.allow() for _ in range(4)])
"""
    assert said(code) == "\n".join(["[True, True, False, False]"] * 3)
