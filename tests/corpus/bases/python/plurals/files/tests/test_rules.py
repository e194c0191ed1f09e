import json
from pathlib import Path

import pytest
from plurals import plural

WORDS = json.loads((Path(__file__).parent / "data" / "words.json").read_text())


@pytest.mark.parametrize(("word", "expected"), WORDS)
def test_plural(word, expected):
    assert plural(word) == expected
