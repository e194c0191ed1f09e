"""What is in a cart."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    sku: str
    cents: int
    quantity: int = 1

    @property
    def total(self):
        return self.cents * self.quantity


@dataclass
class Cart:
    lines: list[Line] = field(default_factory=list)

    def add(self, sku, cents, quantity=1):
        if quantity < 1:
            raise ValueError("add at least one")
        self.lines.append(Line(sku, cents, quantity))

    def quantity(self, sku):
        return sum(line.quantity for line in self.lines if line.sku == sku)
