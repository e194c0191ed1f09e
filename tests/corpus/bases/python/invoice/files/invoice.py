"""Invoices for several people."""

from money import show, split


def shares(cents, people):
    return [show(part) for part in split(cents, people)]
