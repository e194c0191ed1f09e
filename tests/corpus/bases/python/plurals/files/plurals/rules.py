"""How English words are made many."""


def plural(word):
    """The plural of a regular noun."""
    return word + "s"
