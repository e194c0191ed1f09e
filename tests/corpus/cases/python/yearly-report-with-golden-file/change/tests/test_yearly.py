from ledger.entries import read_entries
from ledger.report import yearly_csv


def test_yearly(entries, golden):
    golden("yearly.csv", yearly_csv(entries))


def test_nothing_is_only_the_header():
    assert yearly_csv([]) == "year,account,total,currency\n"


def test_commas_and_quotes_are_quoted():
    book = list(read_entries(['2024-01-01;food, drink "and" more;-1 EUR']))
    assert yearly_csv(book).splitlines()[1] == '2024,"food, drink ""and"" more",-1.00,EUR'
