"""Settings of a shop."""

import configparser
import os
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "STOCK_SETTINGS"
DEFAULT_STEPS = {10: 5.0, 100: 12.0}


class SettingsError(Exception):
    """The file is not as it should be."""


@dataclass(frozen=True)
class Settings:
    steps: dict = field(default_factory=lambda: dict(DEFAULT_STEPS))
    currency: str = "EUR"


def settings_path():
    """Where the settings are: the variable first, then the working folder."""
    return Path(os.environ.get(VARIABLE) or "stock.ini")


def load_settings(path=None):
    """The settings in a file; the defaults where it says nothing."""
    path = Path(path) if path is not None else settings_path()
    parser = configparser.ConfigParser()
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except FileNotFoundError:
        return Settings()
    except configparser.Error as error:
        raise SettingsError(f"{path}: {error}") from error
    known = {}
    if parser.has_section("bulk"):
        try:
            known["steps"] = {int(number): float(percent) for number, percent in parser.items("bulk")}
        except ValueError as error:
            raise SettingsError(f"{path}: [bulk]: {error}") from error
    if parser.has_option("prices", "currency"):
        known["currency"] = parser.get("prices", "currency").upper()
    return Settings(**known)
