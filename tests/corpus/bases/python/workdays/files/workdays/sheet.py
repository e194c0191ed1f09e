"""A month as text."""

from datetime import date, timedelta

from workdays.calendar import is_workday
from workdays.holidays import holidays


def sheet(year, month):
    lines = []
    day = date(year, month, 1)
    while day.month == month:
        mark = "work" if is_workday(day) else holidays(year).get(day, "-")
        lines.append(f"{day.isoformat()} {mark}\n")
        day += timedelta(days=1)
    return "".join(lines)
