from textkit import shorten


def test_width_of_zero():
    assert shorten("tea", 0) == ""
