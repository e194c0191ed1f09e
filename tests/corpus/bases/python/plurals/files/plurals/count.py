"""Things with their number."""

from plurals.rules import plural


def count(number, word):
    """A number and its word: `1 cat`, `2 cats`, `no cats`."""
    if number == 1:
        return f"1 {word}"
    return f"{number or 'no'} {plural(word)}"
