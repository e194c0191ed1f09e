"""Small helpers for text."""


def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "\u2026"
