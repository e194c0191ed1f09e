from ask import said


def test_there_and_back():
    code = """
import pathlib, tempfile
from shop.save import load, save
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "b")
    save([("a", 1, 2), ("b", 3, 4)], path)
    print(load(path), oct(path.stat().st_mode & 0o777))
"""
    assert said(code) == "[('a', 1, 2), ('b', 3, 4)] 0o600"
