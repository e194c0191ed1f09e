import pytest

from humanize import humanize


def test_parts():
    assert humanize(5400) == "1h 30m"
    assert humanize(0) == "0s"


def test_negative():
    with pytest.raises(ValueError):
        humanize(-1)
