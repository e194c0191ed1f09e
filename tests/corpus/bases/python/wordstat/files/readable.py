"""How hard a text is to read."""

import re

from wordstat import words

VOWELS = re.compile(r"[aeiouy]+")


def syllables(word):
    """A rough count: groups of vowels, at least one."""
    found = len(VOWELS.findall(word.lower()))
    if word.lower().endswith("e") and found > 1:
        found -= 1
    return max(found, 1)


def sentence_count(text):
    return len([part for part in re.split(r"[.!?]+", text) if part.strip()])


def words_per_sentence(text):
    sentences = sentence_count(text)
    return len(words(text)) / sentences if sentences else 0.0
