from temperature import fahrenheit_to_celsius
from units import celsius_to_fahrenheit, km_to_miles


def test_temperatures():
    assert celsius_to_fahrenheit(0) == 32
    assert celsius_to_fahrenheit(100) == 212
    assert celsius_to_fahrenheit(-40) == -40


def test_back():
    assert fahrenheit_to_celsius(32) == 0
    assert fahrenheit_to_celsius(212) == 100


def test_distance():
    assert km_to_miles(0) == 0
    assert km_to_miles(42.195) == 26.22
