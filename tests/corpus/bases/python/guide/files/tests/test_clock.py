from clock import as_text, parse


def test_there_and_back():
    assert parse(as_text(75)) == 75
