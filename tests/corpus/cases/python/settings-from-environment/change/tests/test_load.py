import os

import pytest

from settings import load
from settings.loader import SettingsError


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch):
    for name in [name for name in os.environ if name.startswith("APP_")]:
        monkeypatch.delenv(name)


def test_defaults():
    assert load()["server"] == {"host": "localhost", "port": 8000}


@pytest.mark.parametrize(
    ("name", "text", "key", "expected"),
    [
        pytest.param("a.toml", "[server]\nport = 1\n", "server", {"host": "localhost", "port": 1}, id="toml"),
        pytest.param("a.json", '{"debug": true}', "debug", True, id="json"),
        pytest.param("a.json", '{"log": {"level": "debug"}}', "log", {"level": "debug"}, id="json table"),
    ],
)
def test_files(written, name, text, key, expected):
    assert load(written(name, text))[key] == expected


@pytest.mark.parametrize(("name", "text"), [("a.toml", "x ="), ("a.json", "{")])
def test_broken_files(written, name, text):
    with pytest.raises(SettingsError):
        load(written(name, text))


def test_missing(tmp_path):
    with pytest.raises(SettingsError):
        load(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"APP_SERVER__PORT": "80"}, {"host": "localhost", "port": 80}),
        ({"APP_SERVER__HOST": "example.org"}, {"host": "example.org", "port": 8000}),
        ({"APP_SERVER__TLS__CERT": "a.pem"}, {"host": "localhost", "port": 8000, "tls": {"cert": "a.pem"}}),
        ({"APP_SERVER": '{"port": 1}'}, {"host": "localhost", "port": 1}),
        ({"SERVER__PORT": "80", "APP_": "x"}, {"host": "localhost", "port": 8000}),
    ],
)
def test_environment(environ, expected):
    assert load(environ=environ)["server"] == expected


def test_the_environment_wins(written, monkeypatch):
    monkeypatch.setenv("APP_DEBUG", "true")
    assert load(written("a.toml", "debug = false"))["debug"] is True
