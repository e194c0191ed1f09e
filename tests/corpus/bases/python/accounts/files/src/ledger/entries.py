"""What was paid when, and for what."""

from datetime import date

from ledger.money import parse_money


class Entry:
    def __init__(self, day, account, money):
        self.day = day
        self.account = account
        self.money = money


def read_entries(lines):
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        day, account, money = line.split(";")
        yield Entry(date.fromisoformat(day.strip()), account.strip(), parse_money(money))
