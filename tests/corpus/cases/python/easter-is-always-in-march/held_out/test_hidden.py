from ask import said


def test_easter():
    code = "from workdays.holidays import easter, holidays\nprint(*[easter(y) for y in (2019, 2023, 2025, 2038)], sorted(map(str, holidays(2025)))[1:3])"
    assert said(code) == "2019-04-21 2023-04-09 2025-04-20 2038-04-25 ['2025-04-18', '2025-04-21']"
