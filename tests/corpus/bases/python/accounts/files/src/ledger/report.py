"""Sums as text."""

from ledger.entries import Entry


def monthly(entries: list[Entry]) -> str:
    """One line for each month and account."""
    sums = {}
    for entry in entries:
        key = (entry.day.strftime("%Y-%m"), entry.account)
        sums[key] = sums[key] + entry.money if key in sums else entry.money
    return "".join(f"{month}  {account:<10}{money!s:>14}\n" for (month, account), money in sorted(sums.items(), key=lambda item: item[0]))
