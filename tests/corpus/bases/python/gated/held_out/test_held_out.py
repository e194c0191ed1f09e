from ask import said


def test_scores():
    code = "from dice import score; print([score([2, 2, 2]), score([2, 2, 3]), score([6, 6, 6])])"
    assert said(code) == "[12, 7, 36]"
