"""Seconds as people write them."""

from durations import UNITS


def humanize(seconds):
    if seconds < 0:
        raise ValueError("a duration is not negative")
    parts = []
    for unit, size in sorted(UNITS.items(), key=lambda item: -item[1]):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"
