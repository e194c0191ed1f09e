from wordstat import top, unique_ratio, words


def test_words_are_lower_case():
    assert words("The cat, the DOG's bone.") == ["the", "cat", "the", "dog's", "bone"]


def test_top():
    assert top("a b a c a b", 2) == [("a", 3), ("b", 2)]
    assert top("") == []


def test_unique_ratio():
    assert unique_ratio("one two one two") == 0.5
    assert unique_ratio("") == 0.0
