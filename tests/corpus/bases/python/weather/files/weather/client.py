"""Asks the weather service."""

import json
from urllib.parse import quote

from weather.units import celsius


class WeatherError(Exception):
    """The service gave no useful answer."""


class Client:
    def __init__(self, fetch):
        self._fetch = fetch

    def _ask(self, path):
        try:
            return json.loads(self._fetch(path))
        except (OSError, ValueError) as error:
            raise WeatherError(f"{path}: {error}") from error

    def temperature(self, town):
        """In degrees Celsius."""
        return celsius(self._ask(f"/now/{quote(town)}")["kelvin"])

    def forecast(self, town, days):
        found = self._ask(f"/days/{quote(town)}?n={days}")
        return [celsius(kelvin) for kelvin in found["kelvin"]]
