import pytest
from textkit import slugify


@pytest.mark.parametrize(
    ("text", "slug"),
    [("Hello, World!", "hello-world"), ("a  b", "a-b"), ("--x--", "x"), ("", "")],
)
def test_slugify(text, slug):
    assert slugify(text) == slug
