from timebox import parse_duration


def check(text, seconds):
    return parse_duration(text) == seconds


def test_hours_and_minutes():
    return check("1h30m", 5400)


def test_seconds():
    return check("45s", 45)


def test_spaces():
    return check("1h 30m", 5400)


def test_other_texts_are_refused():
    try:
        return parse_duration("soon") is None
    except ValueError:
        return True
