from pathlib import Path

from ask import said


def test_there_are_tables():
    assert Path("tests/test_units.py").read_text().count("parametrize") >= 2


def test_the_code_is_as_it_was():
    assert said("from units import km_to_miles; print(km_to_miles(3))") == "1.86"
