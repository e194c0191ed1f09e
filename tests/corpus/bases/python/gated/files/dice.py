"""Adding up dice."""


def score(dice):
    """The sum; three of a kind count double."""
    return sum(dice)
