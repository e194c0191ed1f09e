"""A check for some files of tests alone, where its command leads to a runner that takes files.

The words of the command decide, and those of the scripts in package.json that it names. What comes
before the runner (a build) is kept; what only looks at the source (a linter) is left out, and so is
coverage: of some tests alone it tells nothing.
"""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ralph.domain.task import SHELL, shell, shown
from ralph.proof.runners import by_program
from ralph.proof.runners.words import (
    NAMED,
    SETS,
    Around,
    after_launchers,
    not_measured,
    only_tells_coverage,
    program,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.domain.task import Command
    from ralph.proof.runners.runner import TestRunner

_PLAIN = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]+_test\.(?:py|go)|[^/]+[._-](?:test|spec)\.[cm]?[jt]sx?|test-[^/]+\.[cm]?[jt]s)"
)
_FOR_THE_SHELL = re.compile(r"[;|<>$`()~#!\n\\]|&(?!&)(?<!&&)")
_SETTING = re.compile(r"^\s*(?:\w+=(?:\"[^\"`\\]*\"|'[^'$]*'|[^\s\"'`;|&<>()\\]*)\s+)+")
"""Variables that are set in front of a command; the shell may write others into them."""
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_RUNS_ALL = ("npm-run-all", "run-s", "run-p")
_LOOKING = frozenset(
    (
        *("eslint", "standard", "xo", "prettier", "biome", "tsd", "attw", "jshint", "semistandard"),
        *("ruff", "flake8", "mypy", "pyright", "black", "isort", "pylint", "evalmd", "ls-engines"),
        *("golangci-lint", "staticcheck"),
    )
)
"""Programs that look at the source and make nothing."""
_MOVES = ("cd", "pushd")
_DEEPEST = 4

NOWHERE = Around()


def is_plain(path: str) -> bool:
    """Whether it is a file of tests and nothing else: no test outside it can depend on it."""
    return bool(_PLAIN.fullmatch(path))


def narrowed(command: Command, files: Iterable[str], around: Around = NOWHERE) -> Command | None:
    """The command for these files instead of all; None if nobody can say how that is written."""
    text = shown(command)
    typed = command[: len(SHELL)] == SHELL
    wanted = list(files)
    if not typed:
        made = _of_words(list(command), wanted, around, 0)
        return None if made is None or len(made) != 1 else tuple(made[0])
    made = _of_text(text, wanted, around, 0)
    return None if made is None else shell(" && ".join(map(_joined, made)))


def _joined(words: Sequence[str]) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if not SETS.fullmatch(word):
        return shlex.quote(word)
    name, _, value = word.partition("=")
    if "$" in value:
        return f'{name}="{value}"'  # the shell is to write it out
    return f"{name}={shlex.quote(value)}" if value else word


def _of_text(text: str, files: list[str], around: Around, depth: int) -> list[list[str]] | None:
    """Every piece of the command, the runners among them for these files; None without any."""
    pieces = text.split("&&")
    plain = (_SETTING.sub("", piece) for piece in pieces)
    if depth > _DEEPEST or any(map(_FOR_THE_SHELL.search, plain)):
        return None
    made: list[list[str]] = []
    found = False
    for piece in pieces:
        try:
            words = shlex.split(piece)
        except ValueError:
            return None
        if not words or words[0] in _MOVES:
            return None  # files have other names in another folder
        own = _of_words(words, files, around, depth)
        if own is not None:
            found = True
            made += own
        elif _only_looks(words, around, depth):
            continue
        elif any(mark in piece for mark in "*?[{"):
            return None  # the shell would write them out
        else:
            made.append(words)
    return made if found else None


def _of_words(
    words: list[str], files: list[str], around: Around, depth: int
) -> list[list[str]] | None:
    before = after_launchers(words)
    if (script := _script(words[before:], around)) is not None:
        made = _of_text(script, files, around, depth + 1)
        return made and [[*not_measured(words[:before]), *one] for one in made]
    name, start = program(words)
    runner = by_program(name)
    own = runner.begins(words[start:]) if runner is not None else -1
    if runner is None or own < 0:
        return None
    start += own
    wanted = [one for one in files if _takes(runner, one.partition(NAMED)[0], around)]
    arguments = runner.narrowed(words[start:], wanted, around) if wanted else None
    if arguments is None:
        return None
    if words[0] == "npx" and around.is_there(words[1]):
        words, start = words[1:], start - 1  # it takes longer to look for it than many tests
    return [[*not_measured(words[:start]), *arguments]]


def _takes(runner: TestRunner, file: str, around: Around) -> bool:
    """Whether it can be told to run this file."""
    return file.endswith(runner.endings) or (runner.any_ending and around.holds_tests(file))


def _only_looks(words: Sequence[str], around: Around, depth: int) -> bool:
    script = _script(words[after_launchers(words) :], around)
    if script is None:
        return _program(words) in _LOOKING or only_tells_coverage(words)
    if depth > _DEEPEST or _FOR_THE_SHELL.search(script):
        return False
    return all(_only_looks(one.split(), around, depth + 1) for one in script.split("&&"))


def _script(words: Sequence[str], around: Around) -> str | None:
    """What `npm test` or `npm run NAME` stands for, with what comes before it."""
    if words and words[0] in _RUNS_ALL:
        return _all_scripts(words[1:], around)
    if not words or words[0] not in _MANAGERS:
        return None
    rest = [word for word in words[1:] if word not in ("run", "run-script", "-s", "--silent")]
    name = "test" if rest[:1] == ["t"] else "".join(rest[:1])
    text, more = around.scripts.get(name), rest[1:]
    if not text or (more and more[0] != "--"):
        return None
    if more[1:]:
        text = f"{text} {_joined(more[1:])}"
    before = around.scripts.get(f"pre{name}")
    return f"{before} && {text}" if before else text


def _all_scripts(names: Sequence[str], around: Around) -> str | None:
    """What `run-s build test:*` stands for: one after the other will do for those side by side."""
    wanted = [name for name in names if not name.startswith("-")]
    found = [[one for one in around.scripts if fnmatchcase(one, name)] for name in wanted]
    if not all(found):
        return None
    return " && ".join(f"npm run {one}" for several in found for one in several)


def _program(words: Sequence[str]) -> str:
    """What is started, without those that start it."""
    start = after_launchers(words)
    return words[start].rpartition("/")[2] if start < len(words) else ""
