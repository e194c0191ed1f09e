"""Small helpers for text."""


def shorten(text, width):
    if len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: width - 1] + "\u2026"


def initials(name):
    return "".join(word[0].upper() for word in name.split())
