"""When a limit is lifted, from the words agents say it with."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

if TYPE_CHECKING:
    from datetime import tzinfo

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_UNIT = r"(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])"
_PART = rf"\d+(?:\.\d+)?\s*{_UNIT}"
_SPAN = re.compile(
    rf"(?:\bin|\bafter|\bwait|delay\W{{1,5}})\s*({_PART}(?:[\s,]*(?:and\s+)?{_PART})*)",
    re.IGNORECASE,
)
_PLAIN_SPAN = re.compile(r"retry[-_ ]?after\W{1,4}(\d+(?:\.\d+)?)\b(?!\s*[a-z:])", re.IGNORECASE)
_IN_SPAN = re.compile(rf"(\d+(?:\.\d+)?)\s*({_UNIT})", re.IGNORECASE)
_EPOCH = re.compile(r"(?:\||resets?_?at\W{1,4})(\d{10})(?:\d{3})?\b", re.IGNORECASE)
_BEFORE = r"(?:resets?|again|available|until|renews?)\s+(?:at\s+|on\s+)?"
_MOMENT = re.compile(
    rf"{_BEFORE}(\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    _BEFORE + r"(?:(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+"
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?,?\s+(?:at\s+)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?(?::\d\d)?\s*(?P<half>[ap]\.?m\b\.?)?"
    r"(?:\s*\(?(?P<zone>UTC|GMT|[A-Z]\w+/[\w/+-]+)\)?)?",
    re.IGNORECASE,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NOON = 12


def until(text: str, now: float) -> float:
    """The moment the text names, in seconds since the epoch; 0 if it names none."""
    if found := _EPOCH.search(text):
        return float(found[1])
    if found := _SPAN.search(text):
        return now + sum(float(n) * _SECONDS[unit[0].lower()] for n, unit in _parts(found[1]))
    if found := _PLAIN_SPAN.search(text):
        return now + float(found[1])
    if found := _MOMENT.search(text):
        return _moment(found[1])
    found = _CLOCK.search(text)
    return _clock(found.groupdict(), now) if found else 0


def _parts(span: str) -> list[tuple[str, str]]:
    return _IN_SPAN.findall(span)


def _moment(written: str) -> float:
    try:
        return datetime.fromisoformat(written).timestamp()
    except ValueError:
        return 0


def _clock(said: dict[str, str | None], now: float) -> float:
    """A time of the clock is the next one that shows it, in the zone it names or in ours."""
    if said["half"] is None and said["minute"] is None:
        return 0
    zone = _zone(said["zone"])
    here = datetime.fromtimestamp(now, UTC).astimezone(zone)
    try:
        moment = here.replace(
            hour=_hour(int(said["hour"] or 0), said["half"]),
            minute=int(said["minute"] or 0),
            second=0,
            microsecond=0,
        )
        if said["month"] is None:
            return (moment if moment > here else moment + timedelta(days=1)).timestamp()
        month, day = _MONTHS.index(said["month"].lower()) + 1, int(said["day"] or 1)
        moment = moment.replace(int(said["year"] or here.year), month, day)
        over = said["year"] is None and moment < here - timedelta(days=180)
        return (moment.replace(here.year + 1) if over else moment).timestamp()
    except ValueError:
        return 0


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % _NOON + (_NOON if half.lower().startswith("p") else 0)


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    if name.upper() in {"UTC", "GMT"}:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return None
