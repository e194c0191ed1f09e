import pytest
from timebox import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"), [("1h30m", 5400), ("45s", 45), ("2d 1h", 176400), ("1h 5m 7s", 3907)]
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "12", "3x", "1h nonsense"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)
