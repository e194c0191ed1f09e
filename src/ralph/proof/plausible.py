"""Whether a change that no test shows may be the task at all: by what the task names, and by words.

This proves nothing. It only tells work that nobody tested from work that has nothing to do with the
task: one unrelated line, and a claim.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.proof.paths import CODE, is_ci, is_runner, is_source, is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ralph.domain.task import Task

_QUOTED = re.compile(r"`([^`\n]{1,80})`")
_CALL = re.compile(r"(?<![\w.`])([A-Za-z_][\w.]*)\((?!s\)|es\)|ies\))")
_AHEAD = re.compile(r"^\s*\w+\([^()\n]*\)!?:|:\w+:", re.MULTILINE)
"""What people put in front of a title: `fix(parser):`, `:bug:`. It names nothing of the code."""
_SNAKE = re.compile(r"(?<![\w./-])([a-z]\w*_\w+)(?![\w/-]|\.\w)")
_OPTION = re.compile(r"--?[a-z][\w-]*")
_OF_TESTS = re.compile(r"\b(?:test_\w+|\w+_test|\w+\.(?:test|spec))\b")
_PARTS = re.compile(r"\d+(?:\.\d+)+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
ENOUGH = 3
"""Words that say what a task is about; of one with fewer nobody can tell."""
_SHORTEST, _STEM = 3, 5
_LOCK = re.compile(r"(?:[.-]lock(?:\.json|\.ya?ml|b)?|shrinkwrap\.json)$", re.IGNORECASE)
_BESIDE = re.compile(
    # tests
    r"\b(?:tests?|testing|cover\w*|specs?|fixtures?|mock\w*|benchmarks?|ci|flaky"
    # words
    r"|\w*docs?|document\w*|readme|changelog|comments?|docstrings?|examples?|guide|tutorial|links?"
    r"|licen[cs]e|faq|rst|markdown|release|version|explain\w*|clarif\w*|describ\w*|mention\w*"
    # form
    r"|typos?|spelling|wording|typing|types?|annotat\w*|stubs?|unused|style|lint\w*|\w*format\w*ting"
    r"|clean[ -]?ups?|tidy|refactor\w*|mypy|pyright|black\w*|ruff|isort|flake8|prettier|eslint)\b",
    re.IGNORECASE,
)
"""What may be asked for beside the program: its tests, what is said about it, its form."""
_COMMON = frozenset(
    (
        *("the", "and", "for", "with", "from", "that", "this", "into", "when", "not", "are", "was"),
        *("all", "any", "can", "has", "have", "its", "out", "use", "used", "add", "added", "fix"),
        *("fixed", "make", "made", "new", "set", "get", "retur", "self", "def", "class", "impor"),
        *("const", "let", "var", "funct", "true", "false", "none", "null", "value", "file", "code"),
        *("shoul", "must", "only", "also", "more", "than", "then", "one", "two", "same", "other"),
        *(
            "test",
            "tests",
            "work",
            "works",
            "chang",
            "allow",
            "suppo",
            "str",
            "int",
            "list",
            "type",
        ),
    )
)


class Touched(Struct, frozen=True):
    """What a change did to one file."""

    path: str
    lines: str
    """Added and removed."""
    around: tuple[str, ...] = ()
    """The functions and classes that these lines are in."""
    loose: bool = True
    """Whether only things were added that nobody uses."""


def doubt(
    task: Task, touched: Sequence[Touched], idle: Collection[str], exists: Callable[[str], bool]
) -> str:
    """Why this may not be the task; empty if it may well be.

    In the files that are `idle` only comments were changed; `exists` says whether a name stands
    somewhere in what is not a test and not words, however it is capitalised.
    """
    text = "\n".join((task.title, task.description, *task.criteria))
    short = "\n".join((task.title, *task.criteria))
    work = [one for one in touched if one.path not in idle and _is_work(one.path)]
    if not work:
        return _without_work(task, touched, idle)
    lines = "\n".join(one.lines for one in touched).lower()
    missing = [name for name in named(short) if name.lower() not in lines and not exists(name)]
    if missing:
        return f"The task names `{missing[0]}`, but the code has no such name."
    code = [one for one in work if one.path.endswith(CODE)]
    tested = any(is_test(one.path) for one in touched)
    locked = any(_LOCK.search(one.path) for one in work)
    if not all(one.loose for one in code) or (not code and (locked or not tested)):
        return ""  # what is changed in place has an effect, as other settings or dependencies have
    known, said = set(_stems(text)), set(_stems("\n".join(_words_of(work))))
    if len(known) >= ENOUGH and not _have_common(known, said):
        return "The change has nothing in common with the task."
    return ""


def _have_common(some: set[str], others: set[str]) -> bool:
    """Whether a word of one is in the other, or is short for one: `sub` for subtract."""
    return any(one.startswith(other) or other.startswith(one) for one in some for other in others)


def is_about(task: Task, text: str) -> bool:
    """Whether a text speaks of what a task speaks of."""
    return not set(_stems("\n".join((task.title, *task.criteria)))).isdisjoint(_stems(text))


def _without_work(task: Task, touched: Sequence[Touched], idle: Collection[str]) -> str:
    paths = [one.path for one in touched]
    bare = task.title.split()[1:] in [[path] for path in paths] or not any(_stems(task.title))
    if bare and not (task.description or task.criteria):
        return ""  # `Update src/app.py`, or `Fix`: nothing else was asked for
    if _BESIDE.search(task.title) or _names_tests(task.title, touched):
        return ""
    tests = list(filter(is_test, paths))
    what = f"tests: {', '.join(tests[:5])}" if tests else f"words in {', '.join(paths[:5])}"
    head = "Nothing that runs was changed" if idle else "No source was changed"
    return f"{head}, only {what}." if paths else f"{head}."


def _names_tests(title: str, touched: Iterable[Touched]) -> bool:
    """Whether all that it names is tests that were changed."""
    tests = [one for one in touched if is_test(one.path)]
    said = "\n".join(text for one in tests for text in (one.path, one.lines, *one.around))
    names = {*_OF_TESTS.findall(title), *named(title)}
    return bool(names) and all(_OF_TESTS.fullmatch(one) and one in said for one in names)


def _is_work(path: str) -> bool:
    hidden = path.rpartition("/")[2].startswith(".")
    return is_source(path) or (not is_test(path) and (hidden or is_runner(path) or is_ci(path)))


def named(text: str) -> tuple[str, ...]:
    """Names from the code, as people write them: in backticks, as a call, or with underscores."""
    text = _AHEAD.sub(" ", text)
    found = [
        *(name for quoted in _QUOTED.findall(text) for name in _of_code(quoted)),
        *(call.rpartition(".")[2] for call in _CALL.findall(_QUOTED.sub(" ", text))),
        *_SNAKE.findall(_QUOTED.sub(" ", text)),
    ]
    return tuple(dict.fromkeys(name for name in found if len(name) >= _SHORTEST))


def _of_code(quoted: str) -> Iterator[str]:
    """The last name of a dotted one; nothing of a phrase, a path or a command."""
    bare = quoted.partition("(")[0].strip()
    if re.fullmatch(r"@?[A-Za-z_][\w.]*", bare):
        yield bare.removeprefix("@").rpartition(".")[2]
    elif option := _OPTION.fullmatch(bare):
        yield option[0]


def _words_of(work: Iterable[Touched]) -> Iterator[str]:
    for one in work:
        yield one.lines
        yield from one.around
        if not one.path.endswith(CODE):  # a file of settings is named after what it sets
            yield one.path


def _stems(text: str) -> Iterator[str]:
    for part in _PARTS.findall(text):
        stem = part.lower()[:_STEM]
        if len(stem) >= _SHORTEST and stem not in _COMMON:
            yield stem
