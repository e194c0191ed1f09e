from datetime import date

import pytest

from ledger.entries import read_entries


def test_comments_and_empty_lines_do_not_count(entries):
    assert len(entries) == 5


def test_an_entry_has_a_day_and_an_account(entries):
    assert entries[0].day == date(2024, 1, 3)
    assert entries[0].account == "rent"


def test_a_line_that_is_no_entry_is_an_error():
    with pytest.raises(ValueError):
        list(read_entries(["nonsense"]))
