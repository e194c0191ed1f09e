"""Work that no test shows has at least to look like its task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ralph.domain.task import Task
from ralph.proof.languages import shape_of
from ralph.proof.languages.shape import is_loose
from ralph.proof.plausible import Touched, doubt, named

if TYPE_CHECKING:
    from collections.abc import Callable

CELSIUS = Task("T", "Convert Celsius to Kelvin", criteria=("`to_kelvin(0)` is 273.15",))


def doubts(task: Task, *touched: Touched, idle: tuple[str, ...] = (), names: str = "") -> str:
    return doubt(task, touched, idle, lambda name: name in names.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add `to_kelvin(celsius)`", ("to_kelvin",)),
        ("Add to_kelvin(celsius) to temperature.py", ("to_kelvin",)),
        ("`Cache.get` returns None", ("get",)),
        ("the option `--dry-run`", ("--dry-run",)),
        ("use max_size everywhere", ("max_size",)),
        ("two item(s), a `git log` and a `src/app.py`", ()),
        ("Add `@lru_cache(size)`", ("lru_cache",)),
        ("fix(to_celsius): round", ()),
        ("fix(to_celsius)!: round in to_kelvin()", ("to_kelvin",)),
        (":arrow_up: newer libraries", ()),
        ("Nothing of the kind", ()),
    ],
)
def test_names_from_the_code(text: str, expected: tuple[str, ...]) -> None:
    assert named(text) == expected


@pytest.mark.parametrize(
    "touched",
    [
        Touched("app.py", "z = 1\n"),
        Touched("kelvin.py", "z = 1\n"),
        Touched("app.py", "def to_fahrenheit(celsius): ...\n"),
    ],
)
def test_a_name_that_is_nowhere_is_doubted(touched: Touched) -> None:
    assert "`to_kelvin`" in doubts(CELSIUS, touched)


@pytest.mark.parametrize(
    "touched",
    [
        Touched("app.py", "def to_kelvin(celsius): ...\n"),
        Touched("app.py", "    return degrees\n", ("to_kelvin",)),
    ],
)
def test_what_the_task_names_is_not(touched: Touched) -> None:
    assert doubts(CELSIUS, touched, names="to_kelvin") == ""


def test_words_that_were_asked_for_may_come_with_a_test() -> None:
    words, test = Touched("README.md", "- new\n"), Touched("tests/test_a.py", "x = 1\n")
    assert doubts(Task("T", "Add docs for the parser"), words, test) == ""
    assert doubts(Task("T", "Add a parser for dates and months"), words, test) != ""


@pytest.mark.parametrize(
    ("title", "touched", "doubted"),
    [
        ("Speed up parsing of long headers", Touched("a.py", "parser = fast(header)\n"), False),
        ("Speed up parsing of long headers", Touched("a.py", "z = 1\n"), True),
        ("The calculator subtracts whole numbers", Touched("a.py", "def sub(a, b): ...\n"), False),
        ("Pin mypy to the oldest Python", Touched("pyproject.toml", "python = 3.9\n"), False),
        ("Ignore build output folders", Touched(".gitignore", "build/\n"), False),
        ("Release v7.0.6.", Touched("a.py", '__version__ = "7.0.6"\n'), False),
        ("Refactor", Touched("a.py", "x = 1\n"), False),
        ("Cover the double complement", Touched("tests/test_a.py", "assert x\n"), False),
        ("Sort the items by their price", Touched("tests/test_a.py", "assert x\n"), True),
        ("Fix typos in the guide", Touched("README.md", "their\n"), False),
        ("Sort the items by their price", Touched("README.md", "Sorts items by price\n"), True),
    ],
)
def test_words_are_compared(title: str, touched: Touched, doubted: bool) -> None:
    assert bool(doubts(Task("T", title), touched)) is doubted


def test_settings_with_tests_and_without_source_are_compared() -> None:
    task = Task("T", "Optional parameters and wildcards in patterns")
    settings = Touched("package.json", '"imports": {"#compile": "./test/support/compile.js"}\n')
    assert not doubts(task, settings)
    assert doubts(task, settings, Touched("test/compile.test.js", "x\n"))


def test_what_is_changed_in_place_is_not_compared() -> None:
    task = Task("T", "Speed up parsing of long headers")
    assert doubts(task, Touched("a.py", "z = 1\n"))
    assert not doubts(task, Touched("a.py", "z = 1\n", loose=False))


def loose(path: str, before: str, after: str, used: Callable[[str], bool]) -> bool:
    new = shape_of(path, after)
    return new is not None and is_loose(shape_of(path, before), new, used)


@pytest.mark.parametrize(
    ("path", "after", "expected"),
    [
        ("a.py", "x = 1\n\n\ndef f():\n    return x\n\n\nz = 1\n", True),
        ("a.py", "x = 1\nz = 2\n\n\ndef f():\n    return x + z\n", False),
        ("a.py", "x = 2\n\n\ndef f():\n    return x\n", False),
        ("a.py", "x = 1\n\n\ndef f():\n    return x\n\n\nknown = 1\n", False),
        ("a.py", "def (", False),
        ("a.py", "def f():\n    return x\n\n\nx = 1\n", False),
    ],
)
def test_what_hangs_on_nothing(path: str, after: str, expected: bool) -> None:
    before = "x = 1\n\n\ndef f():\n    return x\n"
    assert loose(path, before, after, lambda name: name == "known") is expected


RATES = """\
const rates = {
  eur: 1, // {
};
const names = "{";
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("};", "  usd: 2,\n};", False),
        ("};", "};\nconst z = 1;", True),
        ('"{";', '"{";\nconst z = { a: 1 };\nfunction f() {\n  return 1;\n}', True),
        ("};", "\n};", False),
        ("eur: 1", "eur: 2", False),
    ],
)
def test_what_is_added_inside_of_something_does_not_hang_on_nothing(
    old: str, new: str, expected: bool
) -> None:
    after = RATES.replace(old, new)
    assert loose("a.js", RATES, after, lambda _: False) is expected


def test_a_task_that_is_only_about_a_file() -> None:
    comment = Touched("src/app.py", "# parsed\n")
    assert not doubts(Task("T", "Update src/app.py"), comment, idle=("src/app.py",))
    assert doubts(Task("T", "Update src/other.py"), comment, idle=("src/app.py",))
    assert doubts(Task("T", "Parse dates in src/app.py"), comment, idle=("src/app.py",))
    asking = Task("T", "Update src/app.py", criteria=("dates are parsed",))
    assert doubts(asking, comment, idle=("src/app.py",))
    assert doubts(Task("T", "Fix", "Dates are not parsed"), comment, idle=("src/app.py",))


def test_tests_may_need_other_settings() -> None:
    settings = Touched(".github/workflows/ci.yml", "- 24\n")
    test = Touched("tests/test_app.py", "assert week\n")
    assert not doubts(Task("T", "Fix week tests where it is not supported"), settings, test)
    assert doubts(Task("T", "Convert Celsius degrees to Kelvin"), settings, test)


def test_other_dependencies_have_an_effect() -> None:
    task = Task("T", "Cloned responses have the right address")
    touched = [Touched("package.json", '"a": "2"\n'), Touched("tests/a.test.js", "check(url)\n")]
    assert doubts(task, *touched)
    locked = Touched("package-lock.json", '"a": "2"\n')
    assert not doubts(task, *touched, locked)
    assert doubts(task, *touched, locked, Touched("app.js", "const z = 1\n"))


def test_names_are_found_however_they_are_capitalised() -> None:
    task = Task("T", "Reduce the errors of `prettyDom`")
    assert not doubts(task, Touched("app.js", "function prettyDOM() {}\n"))


def test_comments_alone_are_no_work() -> None:
    task = Task("T", "Sort the items by their price")
    comment = Touched("a.py", "# items are sorted by price\n")
    assert doubts(task, comment) == ""
    assert doubts(task, comment, idle=("a.py",)).startswith("Nothing that runs was changed")
    asked = Task("T", "JSDoc: mark the second parameter as optional")
    assert doubts(asked, Touched("a.js", "/** optional */\n"), idle=("a.js",)) == ""


@pytest.mark.parametrize(
    ("title", "excused"),
    [
        ("Fix assertion in `test_kelvin`", True),
        ("typo", True),
        ("Mock `builtins.input`", True),
        ("Fix test_app.py with Python 3.14", True),
        ("Bring back test_app", True),
        ("Clean up", True),
        ("Fix", True),
        ("Introduce benchmarks for tuples", True),
        ("Make black happy", True),
        ("Soothe mypy", True),
        ("fix: remove unused import", True),
        ("Fix `to_kelvin`", False),
        ("Convert Celsius to Kelvin", False),
        ("Format prices in words", False),
        ("Convert Celsius to Kelvin in `test_kelvin` and `to_kelvin`", False),
    ],
)
def test_what_may_be_done_in_tests_alone(title: str, excused: bool) -> None:
    touched = Touched("tests/test_app.py", "    assert True\n", around=("test_kelvin",))
    assert bool(doubts(Task("T", title), touched)) != excused
