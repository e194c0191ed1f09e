"""What is on the shelves."""


class Stock:
    def __init__(self, counts=()):
        self.counts = dict(counts)

    def add(self, name, count):
        self.counts[name] = self.counts.get(name, 0) + count

    def reserve(self, name, count):
        """Take articles off the shelf; whether that was possible."""
        if self.counts.get(name, 0) < count:
            return False
        self.counts[name] -= count
        return True

    def report(self):
        lines = [f"{name}: {count or 'sold out'}" for name, count in sorted(self.counts.items())]
        return "\n".join(lines) + "\n"
