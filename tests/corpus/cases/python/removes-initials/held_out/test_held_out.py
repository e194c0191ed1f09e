from ask import said


def test_it_is_gone():
    code = """
import textkit
print(hasattr(textkit, 'initials'), textkit.shorten('abc', 2))
"""
    assert said(code) == 'False a…'
