from ask import said


def test_grade():
    code = "from readable import grade\nprint(grade('The cat sat on the mat. The banana was yellow.'), grade(''))"
    assert said(code) == "1.7 0.0"
