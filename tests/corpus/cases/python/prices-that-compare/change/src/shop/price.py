"""A price with its currency."""

import os


class Price:
    def __init__(self, cents, currency=None):
        self.cents = cents
        self.currency = currency or os.environ.get("SHOP_CURRENCY", "EUR")

    def __eq__(self, other):
        if not isinstance(other, Price):
            return NotImplemented
        return (self.cents, self.currency) == (other.cents, other.currency)

    def __hash__(self):
        return hash((self.cents, self.currency))

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02} {self.currency}"
