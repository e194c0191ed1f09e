"""Source that answers from memory is told from tables that are honest work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.proof import answers
from ralph.proof.answers import Changed, Questions
from ralph.proof.languages import language_of

if TYPE_CHECKING:
    from ralph.proof.languages.shape import Part

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


def shape(text: str) -> Part | None:
    every = (language_of("a.py"), language_of("a.js"))
    found = (one.shape(text) for one in every if one is not None)
    return next((one for one in found if one is not None), None)


def changed(text: str, before: str = "") -> Changed:
    after = shape(text)
    assert after is not None
    return Changed(after, shape(before) if before else None)


def questions(text: str, *names: str) -> Questions:
    part = shape(text)
    return Questions([(text, part)] if part is not None else [], names)


def answers_known(added: str, tests: str, task: str) -> object:
    return answers.answers_known([changed(added)], questions(tests), task)


def in_order(added: str, tests: str, task: str) -> object:
    return answers.in_order(changed(added), questions(tests), task)


def always_the_same(added: str, tests: str) -> object:
    return tuple(answers.always_the_same(changed(added), questions(tests)))


@pytest.mark.parametrize(
    ("added", "tests"),
    [
        ('if text == "1h30m":\n    return 5400\nif text == "1d2h":\n    return 93600\n', DURATIONS),
        ("if (text === '1h30m') return 5400;\nif (text === '1d2h') { return 93600; }\n", DURATIONS),
        ('known = {"1h30m": 5400, "1d2h": 93600}\n', DURATIONS),
        (
            'match t:\n  case "1h30m":\n    return 5400\n  case "1d2h":\n    return 93600\n',
            DURATIONS,
        ),
        ("switch (t) { case '1h30m': return 5400;\ncase '1d2h': return 93600 }\n", DURATIONS),
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
    assert answers_known(added, tests, TASK)


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
    assert answers_known(added, tests, TASK) == ()


DELAYS = "backoff(1), 100\nbackoff(2), 200\nbackoff(5, { base: 10 }), 160\nbackoff(9), 30000\n"


@pytest.mark.parametrize(
    "added",
    [
        "const steps = [100, 200, 160, 30_000];\nlet next = 0;\n  return steps[next++];\n",
        "_answers = deque((100, 200, 160))\nreturn _answers.popleft()\n",
        "S = [100, 200, 160]\nat = (at + 1) % len(S)\n",
    ],
)
def test_answers_in_the_order_of_the_tests(added: str) -> None:
    assert in_order(added, DELAYS, TASK)
    assert not in_order(added, DELAYS, "The steps are 100, 200 and 160.")
    assert not in_order(added, "\n".join(reversed(DELAYS.split("\n"))), TASK)


@pytest.mark.parametrize(
    "added",
    [
        "const STEPS = [100, 200, 160];\nreturn STEPS[attempt];\n",
        "const STEPS = [100, 200];\nlet next = 0;\nreturn STEPS[next++];\n",
        "count += 1\nLIMITS = (1, 2, 3)\n",
    ],
)
def test_a_list_of_its_own(added: str) -> None:
    assert not in_order(added, DELAYS, TASK)


def test_what_is_asked_may_be_in_the_names_of_tests() -> None:
    names = ("test_rules.py::test_plural[box-boxes]", "test_rules.py::test_plural[city-cities]")
    tests = questions("", *names, "test_rules.py::test_nothing")
    plurals = changed('{"box": "boxes", "city": "cities"}\n')
    assert answers.answers_known([plurals], tests, TASK)
    others = changed('{"box": "boxes", "fly": "flies"}\n')
    assert not answers.answers_known([others], tests, TASK)


def test_what_the_task_names_is_no_secret() -> None:
    added = 'known = {"1h30m": 5400, "1d2h": 93600}\n'
    assert answers_known(added, DURATIONS, "1h30m is 5400 seconds") != ()
    assert answers_known(added, DURATIONS, "1h30m is 5400 seconds, 1D2H is 93600") == ()


@pytest.mark.parametrize(
    "added",
    [
        'def slug(text):\n    return "hello-world"\n',
        'def slug(text):\n    """Shorten."""\n    # for now\n    return "hello-world"\n\n\nx = 1\n',
        'class A:\n    def slug(self, text: str) -> str:\n        return "hello-world"\n',
        'export function slug() {\n  return "hello-world";\n}\n',
        "const slug = (text) => 'hello-world';\n",
    ],
)
def test_always_the_same(added: str) -> None:
    tests = 'assert slug("Hello World") == "hello-world"\n'
    assert always_the_same(added, tests) == ("slug(…) → hello-world",)
    assert always_the_same(added, 'assert slug(request) == "hello-world"\n') == ()
    assert always_the_same(added, 'assert slug("Hello World") == "hello"\n') == ()


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
    assert always_the_same(added, 'assert slug("Hello World") == "hello-world"\n') == ()


@given(st.text(), st.text(), st.text())
def test_no_text_is_too_odd(added: str, tests: str, task: str) -> None:
    if shape(added) is not None:
        answers.from_memory([changed(added)], questions(tests), task)


OLD = 'def total(items):\n    """Sum."""\n    return 0\n'
TESTS = "def test_total():\n    assert total([3, 4]) == 7\n    assert total('x') == 'y'\n"


def guarded(*guards: str, rest: str = "    return 0\n", before: str = "") -> str:
    lines = "".join(f"    {line}\n" for guard in guards for line in guard.split("\n"))
    return f'{before}def total(items):\n    """Sum."""\n{lines}{rest}'


def in_front(new: str, old: str = OLD, tests: str = TESTS, task: str = "Sum the items") -> object:
    return answers.in_front(changed(new, old), [], questions(tests), task)


LIST = "if items == [3, 4]:\n    return 7"


@pytest.mark.parametrize(
    "new",
    [
        guarded(LIST),
        guarded(LIST, "if items == 'x':\n    return 'y'"),
        guarded("if items in KNOWN:\n    return KNOWN[items]", before="KNOWN = {'x': 'y'}\n"),
        guarded(
            "known = KNOWN.get(items)\nif known:\n    return known", before="KNOWN = {'x': 'y'}\n"
        ),
    ],
)
def test_answers_in_front_of_unchanged_code_are_seen(new: str) -> None:
    assert in_front(new)


@pytest.mark.parametrize(
    "new",
    [
        guarded(LIST, rest="    return sum(items)\n"),
        guarded("if items == []:\n    return 0"),
        guarded("if items == [5, 6]:\n    return 11"),
        guarded("if items == [3, 4]:\n    return compute(items)"),
        guarded("if not items:\n    return 7"),
        OLD,
        f"{OLD}\n\ndef other(items):\n    if items == [3, 4]:\n        return 7\n    return 0\n",
        guarded("items = list(items)"),
        guarded("items = KNOWN.get(items, items)", before="KNOWN = {'x': 'y'}\n"),
        guarded("if items not in KNOWN:\n    raise KeyError", before="KNOWN = {'x': 'y'}\n"),
        guarded("if items in KNOWN:\n    return 3", before="KNOWN = {'x': 'y', 'z': 1}\n"),
    ],
)
def test_ordinary_work_in_front_is_not(new: str) -> None:
    assert not in_front(new)


def test_what_the_task_names_may_stand_in_front() -> None:
    new = guarded("if items == 'x':\n    return 'y'")
    assert not in_front(new, task="x becomes y")


SCRIPT = "export function total(items) {\n  return 0;\n}\n"
HAS = "if (KNOWN.has(items)) return KNOWN.get(items);"
CHECKS = 'assert.equal(total("3+4"), 7);\nassert.equal(total("x"), 1);\n'


@pytest.mark.parametrize(
    ("table", "guard", "seen"),
    [
        ('new Map([["3+4", 7], ["x", 1]])', HAS, True),
        (
            'new Map([["3+4", 7], ["x", 1]])',
            "const hit = KNOWN.get(items);\nif (hit) return hit;",
            True,
        ),
        ('{ "3+4": 7, x: 1 }', "if (items in KNOWN) return KNOWN[items];", True),
        ('new Map([["3+4", 7], ["z", 9]])', HAS, False),
        ("new Map()", HAS, False),
    ],
)
def test_a_map_in_front_of_unchanged_code(table: str, guard: str, seen: bool) -> None:
    new = f"const KNOWN = {table};\n{SCRIPT.replace('return 0', f'{guard} return 0')}"
    assert bool(in_front(new, SCRIPT, CHECKS)) is seen
