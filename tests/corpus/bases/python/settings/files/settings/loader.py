"""Reads settings."""

import json
import tomllib
from pathlib import Path

from settings.defaults import DEFAULTS
from settings.merge import merge


class SettingsError(Exception):
    """A file of settings cannot be read."""


def read(path):
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        return json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}") from error


def load(path=None):
    return merge(DEFAULTS, read(path) if path else {})
