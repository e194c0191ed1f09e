from ask import said


def test_looking_does_not_prolong_a_session():
    code = """
import time
now = [5]
time.monotonic = lambda: now[0]
from sessions import Session
session = Session(9)
for _ in range(5):
    now[0] += 2
    session.left()
print(session.ended(), Session(9).ended(), Session(0).ended())
"""
    assert said(code) == "True False True"
