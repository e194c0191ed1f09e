"""Sums as text."""

import csv
import io

from ledger.entries import Entry


def _sums(entries: list[Entry], period: str):
    sums = {}
    for entry in entries:
        key = (entry.day.strftime(period), entry.account)
        sums[key] = sums[key] + entry.money if key in sums else entry.money
    return sorted(sums.items(), key=lambda item: item[0])


def monthly(entries: list[Entry]) -> str:
    """One line for each month and account."""
    return "".join(f"{month}  {account:<10}{money!s:>14}\n" for (month, account), money in _sums(entries, "%Y-%m"))


def yearly_csv(entries: list[Entry]) -> str:
    """One line for each year and account, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["year", "account", "total", "currency"])
    for (year, account), money in _sums(entries, "%Y"):
        writer.writerow([year, account, money.amount, money.currency])
    return text.getvalue()
