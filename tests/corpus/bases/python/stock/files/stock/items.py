"""Items and their numbers."""


class OutOfStock(Exception):
    pass


class Warehouse:
    def __init__(self):
        self._numbers = {}

    def add(self, sku, number=1):
        if number <= 0:
            raise ValueError("add at least one")
        self._numbers[sku] = self._numbers.get(sku, 0) + number

    def take(self, sku, number=1):
        if self.count(sku) < number:
            raise OutOfStock(sku)
        self._numbers[sku] -= number

    def count(self, sku):
        return self._numbers.get(sku, 0)

    def skus(self):
        return sorted(sku for sku, number in self._numbers.items() if number)
