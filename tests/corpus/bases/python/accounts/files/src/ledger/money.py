"""Amounts of money."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def rounded(amount):
    return Decimal(amount).quantize(CENT, rounding=ROUND_HALF_UP)


class Money:
    def __init__(self, amount, currency="EUR"):
        self.amount = rounded(amount)
        self.currency = currency

    def __add__(self, other):
        if self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up")
        return Money(self.amount + other.amount, self.currency)

    def __str__(self):
        return f"{self.amount} {self.currency}"


def parse_money(text):
    amount, _, currency = text.strip().partition(" ")
    return Money(amount.replace(",", ""), currency or "EUR")


def tax(amount, percent):
    """The tax on a net amount."""
    return rounded(Decimal(amount) * Decimal(percent) / 100)
