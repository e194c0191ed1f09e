import pytest

from settings import load
from settings.loader import SettingsError


def test_defaults():
    assert load()["server"] == {"host": "localhost", "port": 8000}


def test_toml(written):
    assert load(written("a.toml", "[server]\nport = 1\n"))["server"] == {"host": "localhost", "port": 1}


def test_json(written):
    assert load(written("a.json", '{"debug": true}'))["debug"] is True


def test_broken_toml(written):
    with pytest.raises(SettingsError):
        load(written("a.toml", "x ="))


def test_broken_json(written):
    with pytest.raises(SettingsError):
        load(written("a.json", "{"))


def test_missing(tmp_path):
    with pytest.raises(SettingsError):
        load(tmp_path / "none.toml")
