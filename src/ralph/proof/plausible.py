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
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPTION = re.compile(r"--?[a-z][\w-]*")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
ENOUGH = 3
"""Words that say what a task is about; of one with fewer nobody can tell."""
_VERSION = re.compile(r"\d+(?:\.\d+)+")
_SHORTEST, _STEM = 3, 5
_TESTING = re.compile(
    r"\b(?:tests?|testing|cover(?:s|age)?|specs?|fixtures?|mock\w*|benchmarks?|lint|ci|flaky)\b",
    re.IGNORECASE,
)
_WRITING = re.compile(
    r"\b(?:\w*docs?|document\w*|readme|changelog|changes|comments?|docstrings?|examples?|guide"
    r"|tutorial|licen[cs]e|links?|markups?|rst|markdown|faq|release|version|explain\w*|clarif\w*|describ\w*"
    r"|mention\w*|types?|overloads?|stubs?)\b",
    re.IGNORECASE,
)
_FORM = re.compile(
    r"\b(?:typos?|spelling|wording|unused|typing|annotat\w*|whitespace|style|lint\w*|formatting"
    r"|reformat\w*|clean[ -]?ups?|tidy|dedup\w*|refactor\w*|mypy|pyright|black(?:en)?|ruff|isort"
    r"|flake8|yapf|pylint|prettier|eslint)\b",
    re.IGNORECASE,
)
"""What may be wrong with the form of any file, of tests as well: the program stays what it is."""
_LOCK = re.compile(r"(?:[.-]lock(?:\.json|\.ya?ml|b)?|shrinkwrap\.json)$", re.IGNORECASE)
_COMMON = frozenset(
    (
        *("the", "and", "for", "with", "from", "that", "this", "into", "when", "not", "are", "was"),
        *("all", "any", "can", "has", "have", "its", "our", "out", "use", "used", "uses", "using"),
        *("add", "adds", "added", "fix", "fixes", "fixed", "make", "makes", "made", "new", "set"),
        *("get", "return", "returns", "self", "def", "class", "import", "const", "let", "var"),
        *("function", "true", "false", "none", "null", "value", "values", "file", "files", "code"),
        *("should", "must", "only", "also", "more", "than", "then", "one", "two", "same", "other"),
        *("test", "tests", "work", "works", "change", "changes", "changed", "allow", "allows"),
        *("support", "supports", "str", "int", "list", "dict", "type", "types", "name", "data"),
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
        return _without_work(task, touched)
    lines = "\n".join(one.lines for one in touched).lower()
    missing = [name for name in named(short) if name.lower() not in lines and not exists(name)]
    if missing and not _are_spoken_of(missing, text, touched):
        return f"The task names `{missing[0]}`, and the code has no such name."
    code = [one for one in work if one.path.endswith(CODE)]
    tested = any(is_test(one.path) for one in touched)
    if not all(one.loose for one in code):
        return ""  # what is changed in place has an effect
    locked = any(_LOCK.search(one.path) for one in work)
    if not code and (not tested or locked or _TESTING.search(task.title)):
        return ""  # settings hold few words, and those for tests or dependencies other ones
    known, said = set(_stems(text)), set(_stems("\n".join(_words_of(work))))
    if len(known) >= ENOUGH and not _have_common(known, said):
        return "Nothing in what was changed is what the task speaks of."
    return ""


def _have_common(some: set[str], others: set[str]) -> bool:
    """Whether a word of one is in the other, or is short for one: `sub` for subtract."""
    if some & others:
        return True
    return any(one.startswith(other) or other.startswith(one) for one in some for other in others)


def is_about(task: Task, text: str) -> bool:
    """Whether a text speaks of what a task speaks of."""
    return not set(_stems("\n".join((task.title, *task.criteria)))).isdisjoint(_stems(text))


def _without_work(task: Task, touched: Sequence[Touched]) -> str:
    text = task.title
    tests = [one.path for one in touched if is_test(one.path)]
    by_path = text.split()[1:] in [[one.path] for one in touched]
    if (by_path or not any(_stems(text))) and not (task.description or task.criteria):
        return ""  # `Update src/app.py`, or `Fix`: nothing else was asked for
    if _FORM.search(text) or (len(tests) < len(touched) and _WRITING.search(text)):
        return ""
    if tests:
        if _TESTING.search(text) or _names_them(text, touched):
            return ""
        return f"No source was changed, only tests: {', '.join(tests[:3])}."
    paths = ", ".join(one.path for one in touched[:5])
    return f"No source was changed, only {paths}."


def _names_them(text: str, touched: Sequence[Touched]) -> bool:
    """Whether all that a task names is tests that were changed, or it names a file of them."""
    tests = [one for one in touched if is_test(one.path)]
    files = {one.path.rpartition("/")[2] for one in tests}
    stems = {stem for file in files if "test" in (stem := file.partition(".")[0])}
    if any(file in text for file in files) or not stems.isdisjoint(named(text)):
        return True
    lines = "\n".join(_words_of(tests))
    names = named(text)
    return bool(names) and all(name.startswith("test") and name in lines for name in names)


def _is_work(path: str) -> bool:
    hidden = path.rpartition("/")[2].startswith(".")
    return is_source(path) or (not is_test(path) and (hidden or is_runner(path) or is_ci(path)))


def _are_spoken_of(names: Iterable[str], text: str, touched: Sequence[Touched]) -> bool:
    """A task about tests may name what only they hold."""
    tests = "\n".join(one.lines for one in touched if is_test(one.path))
    return bool(_TESTING.search(text)) and all(name in tests for name in names)


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
    yield from _VERSION.findall(text)
    for name in _NAME.findall(text):
        for part in _PARTS.findall(name):
            word = part.lower()
            if len(word) >= _SHORTEST and word not in _COMMON:
                yield word[:_STEM]
