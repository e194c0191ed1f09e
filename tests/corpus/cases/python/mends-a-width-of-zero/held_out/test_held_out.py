from ask import said


def test_width_of_zero():
    code = """
from textkit import shorten
print([shorten("teapot", 0), shorten("teapot", 3), shorten("", 0)])
"""
    assert said(code) == "['', 'te…', '']"
