from datetime import date

import pytest

from workdays.names import weekday_name

MONDAY = 3  # June 2024


@pytest.mark.parametrize(
    ("language", "offset", "name"),
    [
        ("en", 0, "Monday"),
        ("en", 1, "Tuesday"),
        ("en", 2, "Wednesday"),
        ("en", 3, "Thursday"),
        ("en", 4, "Friday"),
        ("en", 5, "Saturday"),
        ("en", 6, "Sunday"),
        ("de", 0, "Montag"),
        ("de", 1, "Dienstag"),
        ("de", 2, "Mittwoch"),
        ("de", 3, "Donnerstag"),
        ("de", 4, "Freitag"),
        ("de", 5, "Samstag"),
        ("de", 6, "Sonntag"),
        ("fr", 0, "lundi"),
        ("fr", 1, "mardi"),
        ("fr", 2, "mercredi"),
        ("fr", 3, "jeudi"),
        ("fr", 4, "vendredi"),
        ("fr", 5, "samedi"),
        ("fr", 6, "dimanche"),
    ],
)
def test_every_name(language, offset, name):
    assert weekday_name(date(2024, 6, MONDAY + offset), language) == name


def test_english_is_the_default():
    assert weekday_name(date(2024, 6, 3)) == "Monday"
    assert weekday_name(date(2024, 6, 3), "tlh") == "Monday"
