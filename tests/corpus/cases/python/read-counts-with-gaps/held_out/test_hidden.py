from ask import said


def test_read_counts():
    code = """
from itertools import count, islice
from wordstat import read_counts
print(list(read_counts(['# x', '', 'the\\t12', 'a\\tN/A', 'b\\t-', 'c\\t', 'd\\t2,500', 'e\\t3.5k', 'f\\t0'])))
print(list(islice(read_counts(f'w{n}\\t{n}' for n in count()), 2)))
try: list(read_counts(['a\\t1', 'b\\tmany']))
except ValueError as e: print('2' in str(e))
"""
    assert said(code) == "[('the', 12), ('a', None), ('b', None), ('c', None), ('d', 2500), ('e', 3500), ('f', 0)]\n[('w0', 0), ('w1', 1)]\nTrue"
