import pytest
from units import celsius_to_fahrenheit, fahrenheit_to_celsius, km_to_miles


def test_celsius():
    assert celsius_to_fahrenheit(36.6) == 97.9


def test_fahrenheit():
    assert fahrenheit_to_celsius(100) == 37.8


def test_distance():
    assert km_to_miles(42.195) == 26.22


def test_text_is_refused():
    with pytest.raises(TypeError):
        fahrenheit_to_celsius("warm")
