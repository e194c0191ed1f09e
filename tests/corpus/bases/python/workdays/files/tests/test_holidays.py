from datetime import date

from workdays.holidays import holidays


def test_fixed_days():
    assert holidays(2025)[date(2025, 12, 25)] == "Christmas Day"
    assert len(holidays(2025)) == 4
