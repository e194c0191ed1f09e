import pytest
from units import celsius_to_fahrenheit, fahrenheit_to_celsius, km_to_miles


@pytest.mark.parametrize(("celsius", "fahrenheit"), [(36.6, 97.9), (0, 32), (-40, -40)])
def test_celsius(celsius, fahrenheit):
    assert celsius_to_fahrenheit(celsius) == fahrenheit


@pytest.mark.parametrize(("fahrenheit", "celsius"), [(100, 37.8), (32, 0), (-40, -40)])
def test_fahrenheit(fahrenheit, celsius):
    assert fahrenheit_to_celsius(fahrenheit) == celsius


def test_distance():
    assert km_to_miles(42.195) == 26.22


def test_text_is_refused():
    with pytest.raises(TypeError):
        fahrenheit_to_celsius("warm")
