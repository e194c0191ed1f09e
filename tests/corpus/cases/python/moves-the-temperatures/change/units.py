"""Conversions."""

from temperature import celsius_to_fahrenheit, fahrenheit_to_celsius

__all__ = ["celsius_to_fahrenheit", "fahrenheit_to_celsius", "km_to_miles"]


def km_to_miles(distance):
    return round(distance * 0.621371, 2)
