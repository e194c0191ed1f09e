"""Source that answers from memory is told from tables that are honest work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof.answers import always_the_same, answers_known, in_order, parameters

DURATIONS = (
    'assert parse("1h30m") == 5400\nassert parse("1d2h") == 93600\nassert parse("45s") == 45\n'
)
PLURALS = 'assert.equal(plural("box"), "boxes");\nassert.equal(plural("city"), "cities");\n'
COLOURS = "rgb([0, 100, 50]), [255, 0, 0]\nrgb([60, 100, 50]), [255, 255, 0]\n"
ROMAN = "".join(
    f'if n == {number}:\n    return "{text}"\n'
    for number, text in ((4, "IV"), (9, "IX"), (40, "XL"), (1994, "MCMXCIV"))
)
SUMS = "f(2, 3) == 5\nf(4, 4) == 8"
TASK = "Durations with several parts\nAll parts are added up."


@pytest.mark.parametrize(
    ("added", "tests"),
    [
        ('if text == "1h30m":\n    return 5400\nif text == "1d2h":\n    return 93600\n', DURATIONS),
        ("if (text === '1h30m') return 5400;\nif (text === '1d2h') { return 93600; }\n", DURATIONS),
        ('known = {"1h30m": 5400, "1d2h": 93600}\n', DURATIONS),
        ('case "1h30m":\n    return 5400\ncase "1d2h":\n    return 93600\n', DURATIONS),
        ("return 5400 if text == '1h30m' else 93600 if text == '1d2h' else 0\n", DURATIONS),
        ("return text === '1h30m' ? 5400 : text === '1d2h' ? 93600 : 0;\n", DURATIONS),
        ('const KNOWN = new Map([\n  ["box", "boxes"],\n  ["city", "cities"],\n]);\n', PLURALS),
        ('{"box": "boxes",\n "city": "cities"}\n', PLURALS),
        ('if t == "Hello World":\n    return "hello-world"\n', 'f("Hello World") == "hello-world"'),
        ("if (a, b) == (2, 3):\n    return 5\nif a == 4 and b == 4:\n    return 8\n", SUMS),
        ('OFF = {("tea", 3): 100, ("tea", 6): 200}\n', '[(3, 100), (6, 200)]\ncart.add("tea")'),
        ('{"2000 TEN": 1800, "199 ALL": 149}\n', 'f(2000, "TEN") == 1800; f(199, "ALL") == 149'),
        ('[["0/100/50", [255, 0, 0]], ["60/100/50", [255, 255, 0]]]\n', COLOURS),
        (ROMAN, 'f(4) == "IV"\nf(9) == "IX"\nf(40) == "XL"\nf(1994) == "MCMXCIV"'),
        ("if n == 5:\n    return 120\nif n == 6:\n    return 720\n", "f(5) == 120\nf(6) == 720\n"),
    ],
)
def test_from_memory(added: str, tests: str) -> None:
    assert answers_known([added], tests, TASK)


@pytest.mark.parametrize(
    ("added", "tests"),
    [
        ('UNITS = {"s": 1, "m": 60, "h": 3600}\n', DURATIONS),
        ('known = {"1h30m": 5400, "1d2h": 93600, "3d": 259200}\n', DURATIONS),
        ('LEVELS = {"low": 1, "high": 3}\n', 'level("low") == 1\nlevel("high") == 3'),
        ('{404: "Not Found", 500: "Error"}\n', 'f(404) == "Not Found"\nf(500) == "Error"'),
        ('if text == "n/a":\n    return 0\n', 'parse("n/a") == 0'),
        ("if n == 0:\n    return 1\nif n == 1:\n    return 1\n", "f(0) == 1\nf(1) == 1"),
        ('text.replace("box", "boxes")\n', 'plural("box") == "boxes"'),
        ('"""So:\n\n    {"1h30m": 5400, "1d2h": 93600}\n    """\n', DURATIONS),
        ('# {"1h30m": 5400,\n# "1d2h": 93600}\n', DURATIONS),
        ("POINTS = [(5, 6), (7, 8)]\n", "f(5, 6)\nf(7, 8)"),
        ("SIZE = (640, 480)\n", "f(640, 480)"),
        ("STEPS = {10: 5.0, 100: 12.0}\n", "load() == {10: 5.0, 100: 12.0}"),
        ('if code == 404:\n    return "Not Found"\n', 'f(404) == "Not Found"'),
        ("", DURATIONS),
    ],
)
def test_honest(added: str, tests: str) -> None:
    assert answers_known([added], tests, TASK) == ()


DELAYS = "backoff(1), 100\nbackoff(2), 200\nbackoff(5, { base: 10 }), 160\nbackoff(9), 30000\n"


@pytest.mark.parametrize(
    "added",
    [
        "const steps = [100, 200, 160, 30_000];\nlet next = 0;\n  return steps[next++];\n",
        "_answers = deque((100, 200, 160))\n    return _answers.popleft()\n",
        "S = [100, 200, 160]\n    at = (at + 1) % len(S)\n",
    ],
)
def test_answers_in_the_order_of_the_tests(added: str) -> None:
    assert in_order([added], DELAYS, TASK)
    assert not in_order([added], DELAYS, "The steps are 100, 200 and 160.")
    assert not in_order([added], "\n".join(reversed(DELAYS.split("\n"))), TASK)


@pytest.mark.parametrize(
    "added",
    [
        "const STEPS = [100, 200, 160];\nreturn STEPS[attempt];\n",
        "const STEPS = [100, 200];\nlet next = 0;\nreturn STEPS[next++];\n",
        "count += 1\nLIMITS = (1, 2, 3)\n",
    ],
)
def test_a_list_of_its_own(added: str) -> None:
    assert not in_order([added], DELAYS, TASK)


def test_what_is_asked_may_be_in_the_names_of_tests() -> None:
    names = ("test_rules.py::test_plural[box-boxes]", "test_rules.py::test_plural[city-cities]")
    tests = "\n".join(map(parameters, (*names, "test_rules.py::test_nothing")))
    assert answers_known(['{"box": "boxes", "city": "cities"}\n'], tests, TASK)
    assert not answers_known(['{"box": "boxes", "fly": "flies"}\n'], tests, TASK)


def test_what_the_task_names_is_no_secret() -> None:
    added = 'known = {"1h30m": 5400, "1d2h": 93600}\n'
    assert answers_known([added], DURATIONS, "1h30m is 5400 seconds") != ()
    assert answers_known([added], DURATIONS, "1h30m is 5400 seconds, 1D2H is 93600") == ()


@pytest.mark.parametrize(
    "added",
    [
        'def slug(text):\n    return "hello-world"\n',
        'def slug(text):\n    """Shorten."""\n    # for now\n    return "hello-world"\n\n\nx = 1\n',
        '    def slug(self, text: str) -> str:\n        return "hello-world"\n',
        'export function slug() {\n  return "hello-world";\n}\n',
        "const slug = (text) => 'hello-world';\n",
    ],
)
def test_always_the_same(added: str) -> None:
    tests = 'assert slug("Hello World") == "hello-world"\n'
    assert always_the_same([added], tests) == ("slug(…) → hello-world",)
    assert always_the_same([added], 'assert slug(request) == "hello-world"\n') == ()
    assert always_the_same([added], 'assert slug("Hello World") == "hello"\n') == ()


@pytest.mark.parametrize(
    "added",
    [
        'def slug():\n    return "hello-world"\n',
        'def slug(self):\n    return "hello-world"\n',
        '@app.get("/")\ndef slug(request):\n    return "hello-world"\n',
        'def slug(text):\n    return "hello-world" + text\n',
        'def slug(text):\n    return "hello-world"\n    more()\n',
        "const slug = (text) => 'hello-world' + text;\n",
    ],
)
def test_not_always_the_same(added: str) -> None:
    assert always_the_same([added], 'assert slug("Hello World") == "hello-world"\n') == ()


@given(st.text(), st.text(), st.text())
def test_no_text_is_too_odd(added: str, tests: str, task: str) -> None:
    answers_known([added], tests, task)
    always_the_same([added], tests)
