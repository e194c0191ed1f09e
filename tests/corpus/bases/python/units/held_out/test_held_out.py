from ask import said


def test_the_new_module_converts():
    code = """
from temperature import celsius_to_fahrenheit, fahrenheit_to_celsius
print(celsius_to_fahrenheit(21.37), fahrenheit_to_celsius(70), fahrenheit_to_celsius(-40))
"""
    assert said(code) == "70.5 21.1 -40.0"


def test_the_old_names_still_work():
    code = """
from units import celsius_to_fahrenheit, fahrenheit_to_celsius, km_to_miles
print(celsius_to_fahrenheit(0.33), fahrenheit_to_celsius(99), km_to_miles(5))
"""
    assert said(code) == "32.6 37.2 3.11"
