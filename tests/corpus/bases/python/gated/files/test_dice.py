from dice import score


def test_the_sum():
    assert score([1, 2, 5]) == 8


def test_three_of_a_kind_count_double():
    assert score([4, 4, 4]) == 24
