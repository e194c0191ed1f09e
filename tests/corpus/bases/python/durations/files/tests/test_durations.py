import pytest

from durations import parse


def test_seconds():
    assert parse("45s") == 45


def test_minutes():
    assert parse("10m") == 600


def test_hours():
    assert parse("2h") == 7200


def test_case_and_space():
    assert parse(" 1D ") == 86400


def test_several_parts():
    assert parse("1h30m") == 5400
    assert parse("1d2h") == 93600


def test_not_a_duration():
    with pytest.raises(ValueError):
        parse("soon")
