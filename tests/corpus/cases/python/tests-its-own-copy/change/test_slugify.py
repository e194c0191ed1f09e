import re


def slugify(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def test_words_are_joined_by_hyphens():
    assert slugify("Hello, World!") == "hello-world"


def test_loose_hyphens_go():
    assert slugify("--a--") == "a"
