"""Durations for people."""

import re

UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
_WHOLE = re.compile(r"\s*(\d+[dhms]\s*)+")
_PART = re.compile(r"(\d+)([dhms])")


def parse_duration(text):
    """The seconds of a duration such as `1h30m`."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * dict(UNITS)[unit] for count, unit in _PART.findall(text))


def format_duration(seconds):
    """Seconds as people write them: `1h 30m`."""
    if seconds < 0:
        return f"-{format_duration(-seconds)}"
    parts = []
    for unit, size in UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"
