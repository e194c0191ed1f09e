"""Durations for people."""

import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_WHOLE = re.compile(r"\s*(\d+[dhms]\s*)+")
_PART = re.compile(r"(\d+)([dhms])")


def format_duration(seconds):
    """Seconds as people write them: `1h 30m`."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = {"h": hours, "m": minutes, "s": seconds}
    return " ".join(f"{count}{unit}" for unit, count in parts.items() if count)


def parse_duration(text):
    """The seconds of a duration such as `1h30m`."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in _PART.findall(text))
