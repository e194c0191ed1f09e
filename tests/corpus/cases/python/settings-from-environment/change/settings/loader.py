"""Reads settings."""

import json
import os
import tomllib
from pathlib import Path

from settings.defaults import DEFAULTS
from settings.merge import merge


PREFIX = "APP_"


class SettingsError(Exception):
    """A file of settings cannot be read."""


def read(path):
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error


def _value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def from_environ(environ):
    """A tree of settings: APP_A__B=1 is {"a": {"b": 1}}."""
    tree = {}
    for name, text in sorted(environ.items()):
        if not name.startswith(PREFIX) or name == PREFIX:
            continue
        value = _value(text)
        for key in reversed(name.removeprefix(PREFIX).lower().split("__")):
            value = {key: value}
        tree = merge(tree, value)
    return tree


def load(path=None, environ=None):
    """The defaults, a file over them, and the environment over both."""
    found = merge(DEFAULTS, read(path) if path else {})
    return merge(found, from_environ(os.environ if environ is None else environ))
