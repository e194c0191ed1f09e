"""A check for some files of tests alone, where its command is a runner that takes files."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from ralph.domain.task import SHELL, shell, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ralph.domain.task import Command

_PLAIN = re.compile(
    r"(?:.*/)?(?:test_[^/]*\.py|[^/]+_test\.py|[^/]+[._-]test\.[cm]?[jt]s|test-[^/]+\.[cm]?[jt]s)"
)
_FOR_THE_SHELL = re.compile(r"[;&|<>$`(){}*?~#!\n\\]|^\s*\w+=")
_LAUNCHERS = ("uv", "poetry", "pipenv", "pdm", "hatch", "rye")
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_BARE = re.compile(r"-[qvxsl]+|-[BbdEIOPsSuvx]+|-r\w+|-p\S+|-n\S+|--[\w-]+(?:=.*)?", re.DOTALL)
_WITH_VALUE = ("-k", "-m", "-p", "-c", "-o", "-W", "-n")
_ENDINGS = {"pytest": (".py",), "node": (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")}


def is_plain(path: str) -> bool:
    """Whether it is a file of tests and nothing else: no test outside it can depend on it."""
    return bool(_PLAIN.fullmatch(path))


def narrowed(command: Command, files: Iterable[str]) -> Command | None:
    """The command for these files instead of all; None if nobody can say how that is written."""
    text = shown(command)
    typed = command[: len(SHELL)] == SHELL
    if typed and _FOR_THE_SHELL.search(text):
        return None
    try:
        words = shlex.split(text)
    except ValueError:
        return None
    runner, start = _runner(words)
    wanted = [one for one in files if one.endswith(_ENDINGS.get(runner, ()))]
    options = _options(words[start:])
    if not runner or not wanted or options is None:
        return None
    made = (*words[:start], *options, *wanted)
    return shell(shlex.join(made)) if typed else made


def _runner(words: Sequence[str]) -> tuple[str, int]:
    """Which runner it is, and where its arguments begin."""
    start = 2 if words[:1] and words[0] in _LAUNCHERS and words[1:2] == ["run"] else 0
    name = words[start].rpartition("/")[2] if start < len(words) else ""
    if name in ("pytest", "py.test"):
        return "pytest", start + 1
    if name == "node" and "--test" in words[start + 1 : start + 2]:
        return "node", start + 2
    if not _PYTHON.fullmatch(name):
        return "", 0
    for place, word in enumerate(words[start + 1 :], start + 1):
        if word == "-m":
            is_pytest = words[place + 1 : place + 2] == ["pytest"]
            return ("pytest", place + 2) if is_pytest else ("", 0)
        if not _BARE.fullmatch(word):
            return "", 0
    return "", 0


def _options(words: Sequence[str]) -> list[str] | None:
    """The arguments without the files; None where a value and a file cannot be told apart."""
    found = list(_kept(words))
    return None if None in found else [one for one in found if one is not None]


def _kept(words: Sequence[str]) -> Iterator[str | None]:
    before = ""
    for word in words:
        if before in _WITH_VALUE:
            yield word
        elif word.startswith("-"):
            yield word if _BARE.fullmatch(word) or word in _WITH_VALUE else None
        elif before.startswith("--") and "=" not in before:
            yield None  # its value, or a file
        before = "" if before in _WITH_VALUE else word
