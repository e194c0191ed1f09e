"""Amounts of money, and what people owe each other."""

from ledger.money import Money
from ledger.split import split
from ledger.statement import statement

__all__ = ["Money", "split", "statement"]
