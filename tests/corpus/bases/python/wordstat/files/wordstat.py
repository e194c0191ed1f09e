"""Counts words."""

import re
import warnings
from collections import Counter

WORD = re.compile(r"[a-z']+")


def words(text):
    return WORD.findall(text.lower())


def top(text, count=3):
    """The most frequent words with their numbers."""
    return Counter(words(text)).most_common(count)


def unique_ratio(text):
    found = words(text)
    return len(set(found)) / len(found) if found else 0.0


def wordcount(text):
    """Deprecated: use len(words(text))."""
    warnings.warn("wordcount is deprecated, use len(words(text))", DeprecationWarning, stacklevel=2)
    return len(words(text))
