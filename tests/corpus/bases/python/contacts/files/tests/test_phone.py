import pytest

from contacts.phone import normalise


@pytest.mark.parametrize(
    ("text", "number"),
    [("+43 1 555", "+431555"), ("0043/1/555", "+431555"), ("(01) 555", "+431555"), ("", "")],
)
def test_normalise(text, number):
    assert normalise(text) == number


def test_words():
    with pytest.raises(ValueError):
        normalise("call me")
