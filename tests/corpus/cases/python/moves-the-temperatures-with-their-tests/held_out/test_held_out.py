from ask import said


def test_temperatures():
    code = """
from temperature import celsius_to_fahrenheit as c, fahrenheit_to_celsius as f
print(c(1.5), f(90))
"""
    assert said(code) == '34.7 32.2'


def test_units_keep_the_rest():
    code = """
import units
print(hasattr(units, 'celsius_to_fahrenheit'), units.km_to_miles(10))
"""
    assert said(code) == 'False 6.21'
