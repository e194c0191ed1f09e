"""A month as text."""

from datetime import date, timedelta

from workdays.calendar import is_workday
from workdays.holidays import holidays
from workdays.names import weekday_name


def sheet(year, month, language=None):
    lines = []
    day = date(year, month, 1)
    while day.month == month:
        mark = "work" if is_workday(day) else holidays(year).get(day, "-")
        name = f" {weekday_name(day, language)}" if language else ""
        lines.append(f"{day.isoformat()} {mark}{name}\n")
        day += timedelta(days=1)
    return "".join(lines)
