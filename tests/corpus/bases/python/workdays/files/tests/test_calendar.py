from datetime import date

from workdays.calendar import add_workdays, is_workday, workdays_between


def test_weekends_are_off():
    assert is_workday(date(2024, 6, 7))
    assert not is_workday(date(2024, 6, 8))
    assert not is_workday(date(2024, 6, 9))


def test_holidays_are_off():
    assert not is_workday(date(2024, 5, 1))


def test_adding_passes_over_weekends():
    assert add_workdays(date(2024, 6, 7), 1) == date(2024, 6, 10)
    assert add_workdays(date(2024, 12, 24), 2) == date(2024, 12, 30)
    assert add_workdays(date(2024, 6, 5), 0) == date(2024, 6, 5)


def test_between():
    assert workdays_between(date(2024, 6, 3), date(2024, 6, 9)) == 5
    assert workdays_between(date(2024, 6, 9), date(2024, 6, 3)) == 0
