from ask import said


def test_slugs():
    code = """
from textkit import slugify
print([slugify(text) for text in ("Hello, World!", "  Tea & Cake  2 ", "--", "a_b", "")])
"""
    assert said(code) == "['hello-world', 'tea-cake-2', '', 'a-b', '']"


def test_what_worked_before():
    code = """
from textkit import initials, shorten
print(shorten("abcdef", 3), initials("grace brewster hopper"))
"""
    assert said(code) == "ab\u2026 GBH"
