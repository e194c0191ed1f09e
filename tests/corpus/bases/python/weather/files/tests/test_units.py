import pytest

from weather.units import celsius, fahrenheit


@pytest.mark.parametrize(("kelvin", "expected"), [(273.15, 0.0), (0, -273.1), (300, 26.9)])
def test_celsius(kelvin, expected):
    assert celsius(kelvin) == pytest.approx(expected, abs=0.06)


def test_fahrenheit():
    assert fahrenheit(100) == 212.0
