import pytest

from durations import parse


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("45s", 45),
        ("10m", 600),
        ("2h", 7200),
        (" 1D ", 86400),
        ("1h30m", 5400),
        ("1d2h", 93600),
        ("1d1h1m1s", 90061),
    ],
)
def test_parse(text, seconds):
    assert parse(text) == seconds


@pytest.mark.parametrize("text", ["soon", "", "h", "1h and 5m", "1h5"])
def test_refused(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse(text)
