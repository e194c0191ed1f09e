from ask import said


def test_the_same_number_of_hits(tmp_path):
    log = tmp_path / "access.log"
    log.write_text("".join(f"GET /{name} 200 1\n" for name in "qcxaqcxadd"))
    code = f"from logrep.__main__ import main; main([{str(log)!r}])"
    assert [line.split()[-1] for line in said(code).splitlines()] == ["/a", "/c", "/d", "/q", "/x"]


def test_most_hits_first():
    code = """
from logrep.parse import Hit
from logrep.render import render
print(render([Hit(p, 200, 3) for p in ("/b", "/a", "/z", "/z", "/y", "/y", "/y")]))
"""
    assert [line.split() for line in said(code).splitlines()] == [
        ["3", "9", "/y"],
        ["2", "6", "/z"],
        ["1", "3", "/a"],
        ["1", "3", "/b"],
    ]
