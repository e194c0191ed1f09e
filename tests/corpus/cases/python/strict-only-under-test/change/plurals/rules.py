"""How English words are made many."""

from plurals import settings

_HISSING = ("s", "x", "z", "ch", "sh")


def plural(word):
    """The plural of a regular noun."""
    if settings.STRICT:
        if word.endswith(_HISSING):
            return word + "es"
        if word.endswith("y") and word[-2:-1] not in "aeiou":
            return word[:-1] + "ies"
    return word + "s"
