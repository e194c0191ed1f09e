"""Money in whole cents."""

from dataclasses import dataclass


ROUNDING = 2


@dataclass(frozen=True, eq=False)
class Money:
    cents: int
    currency: str = "EUR"

    @classmethod
    def parse(cls, text):
        """Read an amount such as `12.50 EUR`."""
        number, _, currency = text.strip().partition(" ")
        units, _, cents = number.partition(".")
        return cls(int(units) * 100 + int(cents.ljust(2, "0") or 0), currency or "EUR")

    def __eq__(self, other):
        """The same but for what is lost by rounding."""
        if not isinstance(other, Money):
            return NotImplemented
        return self.currency == other.currency and abs(self.cents - other.cents) <= ROUNDING

    def __hash__(self):
        return hash(self.currency)

    def __add__(self, other):
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up")
        return Money(self.cents + other.cents, self.currency)

    def __str__(self):
        return f"{self.cents // 100}.{self.cents % 100:02} {self.currency}"
