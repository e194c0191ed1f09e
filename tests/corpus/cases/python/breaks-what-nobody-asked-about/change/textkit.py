"""Small helpers for text."""

import re


def shorten(text, width):
    if len(text) <= width:
        return text
    return text[: width - 1] + "\u2026"


def slugify(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def initials(name):
    return slugify(name)[:2].upper()
