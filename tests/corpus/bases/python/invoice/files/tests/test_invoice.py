from invoice import shares


def test_equal_shares():
    assert shares(900, 3) == ["3.00", "3.00", "3.00"]


def test_nothing_is_lost():
    assert shares(1000, 3) == ["3.34", "3.33", "3.33"]
