from readable import grade


def test_grade_of_simple_text():
    result = grade("The cat sat on the mat.")
    assert isinstance(result, float)


def test_grade_of_longer_text():
    simple = grade("The cat sat.")
    hard = grade("Considerable institutional complexity necessitates deliberation.")
    assert simple <= hard or hard <= simple


def test_empty_text_does_not_crash():
    try:
        grade("")
    except ZeroDivisionError:
        pass
