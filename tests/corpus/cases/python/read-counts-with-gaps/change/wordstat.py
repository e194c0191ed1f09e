"""Counts words."""

import re
import warnings
from collections import Counter
from decimal import Decimal, InvalidOperation

WORD = re.compile(r"[a-z']+")
MISSING = {"", "-", "n/a"}


def words(text):
    return WORD.findall(text.lower())


def top(text, count=3):
    """The most frequent words with their numbers."""
    return Counter(words(text)).most_common(count)


def unique_ratio(text):
    found = words(text)
    return len(set(found)) / len(found) if found else 0.0


def read_counts(lines):
    """Pairs of a word and its number, which may be missing, from lines with a tab between them."""
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        word, _, count = line.rstrip("\n").partition("\t")
        try:
            yield word.strip(), _count(count)
        except InvalidOperation:
            raise ValueError(f"line {number}: {count!r} is not a number") from None


def _count(text):
    text = text.strip().lower()
    if text in MISSING:
        return None
    factor = 1
    if text.endswith("k"):
        text, factor = text[:-1], 1000
    return int(Decimal(text.replace(",", "")) * factor)


def wordcount(text):
    """Deprecated: use len(words(text))."""
    warnings.warn("wordcount is deprecated, use len(words(text))", DeprecationWarning, stacklevel=2)
    return len(words(text))
