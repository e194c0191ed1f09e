import json
from unittest.mock import Mock

import pytest

from weather import Client, WeatherError


def test_temperature():
    fetch = Mock(return_value='{"kelvin": 293.15}')
    assert Client(fetch).temperature("Bern") == 20.0
    fetch.assert_called_once_with("/now/Bern")


def test_names_are_quoted():
    fetch = Mock(return_value='{"kelvin": 273.15}')
    Client(fetch).temperature("Bad Aibling")
    fetch.assert_called_once_with("/now/Bad%20Aibling")


def test_forecast():
    fetch = Mock(return_value=json.dumps({"kelvin": [273.15, 274.15]}))
    assert Client(fetch).forecast("Bern", 2) == [0.0, 1.0]


def test_no_answer():
    with pytest.raises(WeatherError):
        Client(Mock(side_effect=OSError("no network"))).temperature("Bern")


def test_nonsense():
    with pytest.raises(WeatherError):
        Client(Mock(return_value="<html>")).temperature("Bern")
