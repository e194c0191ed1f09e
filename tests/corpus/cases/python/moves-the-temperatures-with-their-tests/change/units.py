"""Distances."""


def km_to_miles(distance):
    return round(distance * 0.621371, 2)
