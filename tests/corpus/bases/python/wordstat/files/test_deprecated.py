import pytest

from wordstat import wordcount


def test_wordcount_still_works_but_warns():
    with pytest.warns(DeprecationWarning):
        assert wordcount("one two three") == 3
