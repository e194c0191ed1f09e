from textkit import initials, shorten, slugify


def test_short_text_stays():
    assert shorten("tea", 5) == "tea"


def test_long_text_is_cut():
    assert shorten("teapots", 4) == "tea\u2026"


def test_initials():
    assert initials("ada lovelace") == "AL"


def test_slugify():
    assert slugify("Hello, World!") == "hello-world"
