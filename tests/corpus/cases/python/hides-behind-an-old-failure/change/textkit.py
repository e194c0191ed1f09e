"""Small helpers for text."""


def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "\u2026"


def slugify(text):
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def initials(name):
    return "".join(word[0] for word in slugify(name).split("-"))
