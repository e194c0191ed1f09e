"""Small helpers for text."""

import re


def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "\u2026"


def slugify(text):
    """Lower case, with one hyphen for every run of other characters."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def initials(name):
    return "".join(word[0].upper() for word in name.split())
