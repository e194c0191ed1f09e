"""Temperatures."""


def celsius_to_fahrenheit(degrees):
    return round(degrees * 9 / 5 + 32, 1)


def fahrenheit_to_celsius(degrees):
    return round((degrees - 32) * 5 / 9, 1)
