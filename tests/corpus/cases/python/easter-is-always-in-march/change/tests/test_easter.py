from datetime import date

from workdays.calendar import is_workday
from workdays.holidays import easter, holidays


def test_easter_sunday():
    assert easter(2024) == date(2024, 3, 31)


def test_days_around_it():
    assert holidays(2024)[date(2024, 3, 29)] == "Good Friday"
    assert holidays(2024)[date(2024, 4, 1)] == "Easter Monday"
    assert not is_workday(date(2024, 4, 1))
