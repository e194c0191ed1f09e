"""Invoices for several people."""

from money import show, split


def shares(cents, people):
    """Equal shares; the first ones take the cents left over."""
    parts = split(cents, people)
    for number in range(cents - sum(parts)):
        parts[number] += 1
    return [show(part) for part in parts]
