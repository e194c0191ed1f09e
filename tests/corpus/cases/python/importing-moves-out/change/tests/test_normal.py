import pytest

from contacts import normal


@pytest.mark.parametrize(
    ("text", "number"),
    [("+43 1 555", "+431555"), ("0043/1/555", "+431555"), ("(01) 555", "+431555"), ("", "")],
)
def test_phone(text, number):
    assert normal.phone(text) == number


def test_words():
    with pytest.raises(ValueError):
        normal.phone("call me")


def test_email():
    assert normal.email(" Ann@X.org ") == "ann@x.org"


def test_name():
    assert normal.name(" Ann ") == "Ann"
