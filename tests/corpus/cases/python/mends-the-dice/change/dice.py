"""Adding up dice."""


def score(dice):
    """The sum; three of a kind count double."""
    double = len(dice) == 3 and len(set(dice)) == 1
    return sum(dice) * (2 if double else 1)
