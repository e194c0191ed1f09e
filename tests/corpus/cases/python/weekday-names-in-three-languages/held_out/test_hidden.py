from ask import said


def test_names():
    code = """
from datetime import date
from workdays.names import weekday_name
from workdays.sheet import sheet
d = date(2023, 2, 28)
print(weekday_name(d), weekday_name(d, 'de'), weekday_name(d, 'fr'), weekday_name(d, 'xx'))
print(sheet(2023, 2, 'de').splitlines()[-1], '|', sheet(2023, 2).splitlines()[-1])
"""
    assert said(code) == "Tuesday Dienstag mardi Tuesday\n2023-02-28 work Dienstag | 2023-02-28 work"
