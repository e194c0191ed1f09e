from timebox import format_duration


def test_hours_and_minutes():
    assert format_duration(5400) == "1h 30m"


def test_seconds():
    assert format_duration(45) == "45s"
