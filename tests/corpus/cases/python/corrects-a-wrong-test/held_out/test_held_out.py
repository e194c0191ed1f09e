from ask import said


def test_long_distances():
    code = """
from units import km_to_miles
print(km_to_miles(1000000), km_to_miles(10), km_to_miles(0))
"""
    assert said(code) == '621371.19 6.21 0.0'
