from ask import said


def test_cache():
    code = """
import os, subprocess, sys, tempfile
from weather.cache import Cache
now, asked = [0.0], []
def fetch(path):
    asked.append(path)
    if path == "/bad": raise OSError
    return f"{path} {len(asked)}"
cache = Cache(fetch, 10, clock=lambda: now[0])
got = [cache("/a"), cache("/a"), cache("/b")]
now[0] = 10.5
got.append(cache("/a"))
for _ in range(2):
    try: cache("/bad")
    except OSError: pass
print(got, len(asked))
path = os.path.join(tempfile.mkdtemp(), "c.json")
code = "from weather.cache import Cache; import sys; print(Cache(lambda p: 'from ' + sys.argv[2], 60, sys.argv[1])('/t'))"
sys.stdout.flush()
for who in "12": subprocess.run([sys.executable, "-c", code, path, who])
open(path, "w").write("{{{")
subprocess.run([sys.executable, "-c", code, path, "3"])
"""
    assert said(code).splitlines() == ["['/a 1', '/a 1', '/b 2', '/a 3'] 5", "from 1", "from 1", "from 3"]
