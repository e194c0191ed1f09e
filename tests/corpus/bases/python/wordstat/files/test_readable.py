import pytest

from readable import sentence_count, syllables, words_per_sentence


@pytest.mark.parametrize(("word", "count"), [("cat", 1), ("table", 1), ("banana", 3), ("hmm", 1)])
def test_syllables(word, count):
    assert syllables(word) == count


def test_sentences():
    assert sentence_count("One. Two! Three?") == 3
    assert sentence_count("") == 0


def test_words_per_sentence():
    assert words_per_sentence("One two. Three four five six.") == 3.0
    assert words_per_sentence("") == 0.0
