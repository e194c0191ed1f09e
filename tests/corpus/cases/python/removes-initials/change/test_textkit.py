from textkit import shorten


def test_short_text_stays():
    assert shorten("tea", 5) == "tea"


def test_long_text_is_cut():
    assert shorten("teapots", 4) == "tea\u2026"
