"""Statements of account."""

from ledger.money import Money


def statement(entries):
    """One line for each entry, and the total."""
    total = Money(0)
    lines = []
    for name, amount in entries:
        total = total + amount
        lines.append(f"{name:<12}{amount!s:>14}")
    lines.append(f"{'total':<12}{total!s:>14}")
    return "\n".join(lines)
