import pytest
from timebox import format_duration, parse_duration


@pytest.mark.parametrize(("text", "seconds"), [("1h30m", 5400), ("45s", 45), ("2d 1h", 176400)])
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("seconds", [1, 59, 3600, 90061])
def test_what_is_written_is_read(seconds):
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize("text", ["", "soon", "12", "3x", "1h nonsense"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration(text)
