"""Counting days on which people work."""

from datetime import timedelta

from workdays.holidays import holidays

DAY = timedelta(days=1)


def is_workday(day):
    return day.weekday() < 5 and day not in holidays(day.year)


def add_workdays(day, count):
    """The day that comes so many working days later."""
    while count > 0:
        day += DAY
        if is_workday(day):
            count -= 1
    return day


def workdays_between(first, last):
    """How many working days there are, both ends included."""
    count = 0
    while first <= last:
        count += is_workday(first)
        first += DAY
    return count
