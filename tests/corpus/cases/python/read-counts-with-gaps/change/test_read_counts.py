import pytest

from wordstat import read_counts


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("12", 12),
        ("0", 0),
        ("", None),
        ("-", None),
        ("n/a", None),
        ("N/A", None),
        ("1,200", 1200),
        ("1.2k", 1200),
        ("3K", 3000),
    ],
)
def test_numbers(text, count):
    assert list(read_counts([f"word\t{text}\n"])) == [("word", count)]


def test_comments_and_blank_lines():
    assert list(read_counts(["# words", "", "  ", "a\t1"])) == [("a", 1)]


def test_an_error_names_the_line():
    with pytest.raises(ValueError, match="line 3"):
        list(read_counts(["# words", "a\t1", "b\tlots"]))


def test_it_is_lazy():
    def lines():
        yield "a\t1"
        raise AssertionError("read too far")

    assert next(read_counts(lines())) == ("a", 1)
