"""Durations such as `90s`, `2h` or `1h30m`."""

import re

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_WHOLE = re.compile(r"(?:\d+[smhd])+")
_PART = re.compile(r"(\d+)([smhd])")


def parse(text):
    """The seconds that a text means."""
    plain = text.strip().lower()
    if not _WHOLE.fullmatch(plain):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in _PART.findall(plain))
