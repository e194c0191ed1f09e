from ask import said


def test_durations_are_read():
    code = """
from timebox import parse_duration
print(*(parse_duration(text) for text in ("1h30m", "45s", "2d", "1h 5m 7s", "90m", "1d12h")))
"""
    assert said(code).split() == ["5400", "45", "172800", "3907", "5400", "129600"]


def test_other_texts_are_refused():
    code = """
from timebox import parse_duration
for text in ("", "soon", "12", "3x", "h5", "1h nonsense"):
    try:
        print("read", parse_duration(text))
    except ValueError:
        print("refused")
"""
    assert said(code).split() == ["refused"] * 6


def test_durations_are_still_written():
    code = """
from timebox import format_duration
print(*(format_duration(n) for n in (0, 90061, -5400, 59, 172800)), sep="|")
"""
    assert said(code) == "0s|1d 1h 1m 1s|-1h 30m|59s|2d"
