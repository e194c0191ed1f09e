"""The words of a command: what starts what, which are options, and which name files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ralph.proof.runners.runner import TestRunner

NAMED = "::"
"""Between a file and the name of a test in it."""
SETS = re.compile(r"\w+=.*", re.DOTALL)
"""A variable that is set in front of a command."""
_LAUNCHERS = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "pdm", "hatch", "rye"), ("run",)),
    **dict.fromkeys(("npx", "bunx", "cross-env", "c8", "nyc", "env"), ()),
}
"""Programs that start another, with the word that comes after them."""
_LAUNCHER_VALUES = frozenset(
    (
        *("-r", "--reporter", "-n", "--include", "-x", "--exclude", "-e", "--extension", "--src"),
        *("--temp-dir", "-t", "--cwd", "--report-dir", "--reports-dir", "-o", "-p", "--package"),
        *("--lines", "--branches", "--functions", "--statements", "-i", "--require"),
    )
)
"""Options of nyc, c8 and npx whose value is the next word."""
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_COVERAGE_VALUES = frozenset(
    (
        *("--concurrency", "--context", "--data-file", "--include", "--omit", "--rcfile"),
        *("--source", "--debug", "--save-signal"),
    )
)
"""Options of `coverage run` whose value is the next word."""
NODE_VALUES = (
    *("--import", "--require", "-r", "--loader", "--experimental-loader", "-C"),
    *("--conditions", "--test-name-pattern", "--test-reporter", "--env-file"),
    *("--test-reporter-destination", "--test-concurrency", "--test-timeout"),
)
"""Options of Node whose value is the next word."""
NODE_COVERAGE = re.compile(r"--(?:experimental-)?test-coverage(?:-\w+=.*)?")
"""Options of Node that ask for coverage."""
_IN_MODULES = re.compile(r"(?:\./)?node_modules/(?:\.bin/)?(\w+)(?:/|$)")
"""A program that Node is told to start: `node node_modules/jest/bin/jest.js`."""
_CHOOSES = re.compile(
    r"-[tgfim]\b|--(?:testNamePattern|f?grep|invert|match|test-(?:name|skip)-pattern)\b"
)
_CHOOSING_FILES = ("--ignore", "--spec")
"""Options that choose among files: what they say and the files of a trial may not agree."""
_SWITCH = re.compile(r"-[A-Za-z]+\d*|-[a-zA-Z]\S+|--[\w.-]+=.*|--no-[\w-]+", re.DOTALL)


class Around(Struct, frozen=True):
    """What a command's words may mean in its repository."""

    scripts: Mapping[str, str] = {}
    """Those of package.json."""
    is_path: Callable[[str], bool] = lambda _: False
    is_there: Callable[[str], bool] = lambda _: False
    """Whether the checks find a program of this name among the dependencies."""
    text: Callable[[str], str] = lambda _: ""
    """What a file holds; nothing if there is none."""
    holds_tests: Callable[[str], bool] = lambda _: False
    """Whether tests were found in files like this one, whatever they are."""


def after_launchers(words: Sequence[str]) -> int:
    """Where the program itself stands."""
    start = 0
    while start < len(words):
        word = words[start].rpartition("/")[2]
        after = _LAUNCHERS.get(word)
        if SETS.fullmatch(words[start]) and not words[start].startswith("-"):
            start += 1
        elif after is not None and tuple(words[start + 1 : start + 1 + len(after)]) == after:
            start += 1 + len(after)
            start += 0 if after else _count_options(words[start:])
        else:
            break
    return start


def _count_options(words: Sequence[str]) -> int:
    """How many words are options of a launcher; one of them may have its value in the next."""
    count = 0
    while count < len(words) and words[count].startswith("-"):
        has_value = words[count] in _LAUNCHER_VALUES and words[count + 1 : count + 2]
        count += 2 if has_value else 1
    return count


def program(words: Sequence[str]) -> tuple[str, int]:
    """What is started in the end, as in `TestRunner.programs`, and where its arguments begin."""
    start = after_launchers(words)
    name = words[start].rpartition("/")[2] if start < len(words) else ""
    if name in ("node", "tsx"):
        return _of_node(words, start)
    if name == "coverage":
        return _of_coverage(words, start)
    if _PYTHON.fullmatch(name):
        return _of_python(words, start)
    return name, start + 1


def not_measured(words: Sequence[str]) -> list[str]:
    """What starts a program, without coverage: of some tests alone it tells nothing."""
    found: list[str] = []
    place = 0
    while place < len(words):
        word = words[place]
        name = word.rpartition("/")[2]
        place += 1
        if name == "c8":
            place += _count_options(words[place:])
        elif name == "nyc":  # it may load what the tests need: it has to be there
            options = _count_options(words[place:])
            found += [word, *words[place : place + options], "--silent", "--instrument=false"]
            place += options
        elif word == "run" and words[place - 2 : place - 1] and _is_coverage(words[place - 2]):
            end = list(words).index("-m", place) if "-m" in words[place:] else len(words)
            found += [word, *words[place:end], "--omit=*"]
            place = end
        elif not NODE_COVERAGE.fullmatch(word):
            found.append(word)
    return found


def only_tells_coverage(words: Sequence[str]) -> bool:
    """Whether it does nothing but look at what was measured before."""
    start = after_launchers(words)
    if list(words[start + 1 : start + 3]) == ["-m", "coverage"]:
        start += 2
    rest = list(words[start : start + 2])
    if rest and _is_coverage(rest[0]):
        return rest[1:] != ["run"]
    measured = any(one.rpartition("/")[2] in ("c8", "nyc") for one in words[:start])
    return measured and rest[:1] in (["report"], ["check-coverage"])


def _is_coverage(word: str) -> bool:
    return word.rpartition("/")[2] == "coverage"


def _of_node(words: Sequence[str], start: int) -> tuple[str, int]:
    for place in range(start + 1, len(words)):
        if words[place] == "--test":
            return "node --test", place + 1
        if words[place - 1] in NODE_VALUES:
            continue
        if not words[place].startswith("-"):
            found = _IN_MODULES.match(words[place])
            return (found[1], place + 1) if found else ("", 0)
    return "", 0


def _of_python(words: Sequence[str], start: int) -> tuple[str, int]:
    for place, word in enumerate(words[start + 1 :], start + 1):
        if word == "-m":
            name = words[place + 1] if place + 1 < len(words) else ""
            return (
                _of_coverage(words, place + 1) if name == "coverage" else (f"-m {name}", place + 2)
            )
        if not re.fullmatch(r"-[BbdEIOPsSuvx]+|-W\S+|-X\S+", word):
            return "", 0
    return "", 0


def _of_coverage(words: Sequence[str], start: int) -> tuple[str, int]:
    """What `coverage run` measures: it starts a module as Python does."""
    if list(words[start + 1 : start + 2]) != ["run"]:
        return "", 0
    place = start + 2
    while place < len(words) and words[place].startswith("-") and words[place] != "-m":
        place += 1 + (words[place] in _COVERAGE_VALUES)
    return _of_python(words, place - 1) if words[place : place + 1] else ("", 0)


def choosing(option: str) -> bool:
    """Whether a command chooses among its tests by it."""
    return bool(_CHOOSES.match(option))


def options(given: Sequence[str], runner: TestRunner, around: Around) -> list[str] | None:
    """The arguments without the files; None where a value and a file cannot be told apart."""
    found = list(_kept(given, runner, around))
    return None if None in found else [one for one in found if one is not None]


def _kept(words: Sequence[str], runner: TestRunner, around: Around) -> Iterator[str | None]:
    before = ""
    for word in words:
        if before in runner.with_value:
            yield word
            before = ""
            continue
        if word in runner.ends_early:
            continue
        if word == "--" or word.startswith(_CHOOSING_FILES):
            yield None
        elif word.startswith("-"):
            yield word
        elif _may_have_value(before, runner) and not around.is_path(word):
            yield None if _could_be_path(word) else word
        before = word


def _may_have_value(option: str, runner: TestRunner) -> bool:
    if not option.startswith("-") or option in runner.alone:
        return False
    return option.startswith("--") and not _SWITCH.fullmatch(option)


def _could_be_path(word: str) -> bool:
    return bool(re.search(r"[/.*\\]", word)) or word.isidentifier()
