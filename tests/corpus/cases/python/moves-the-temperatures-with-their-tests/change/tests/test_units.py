from units import km_to_miles


def test_distance():
    assert km_to_miles(42.195) == 26.22
