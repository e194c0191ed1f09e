from ask import said


def test_average():
    code = "from stock.costs import average_cost as a; print(a([(4, 1.0), (4, 2.0)]), a([(10, 3.0)]))"
    assert said(code) == "1.5 3.0"
