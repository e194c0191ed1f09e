from textkit import slugify


def test_words_are_joined_by_hyphens():
    assert slugify("Hello, World") == "hello-world"
    assert slugify("a & b") == "a-b"
