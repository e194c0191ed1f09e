from pathlib import Path

from ask import said

COPY = '''"""money-format 2.1, a copy: do not edit, changes belong upstream."""


def show(cents):
    return f"{cents // 100}.{cents % 100:02}"


def split(cents, parts):
    """Equal parts; what is left over is lost."""
    return [cents // parts] * parts
'''


def test_the_copy_is_as_it_was_published():
    assert Path("vendor/money.py").read_text() == COPY


def test_shares():
    code = """
sys.path.append("vendor")
from invoice import shares
print(shares(200, 3), shares(10, 4), shares(0, 2))
"""
    assert said(code) == str(["0.67", "0.67", "0.66"]) + " " + str(
        ["0.03", "0.03", "0.02", "0.02"]
    ) + " " + str(["0.00", "0.00"])
