"""Which runners of tests a command leads to, told from its words and the scripts behind them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.detect.project import ProjectFolder, table
from ralph.domain.task import shown
from ralph.proof.runners import makefile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.task import Command

_MOST_TEXTS = 20
_LONGEST = 64 << 10
_PIECE = 500
"""Patterns look at a piece of a command line: the scripts behind a command may be anybody's."""

_WORD = r"(?:^|[\s('\"/@-])"
_RUNNERS = {
    "pytest": re.compile(_WORD + r"(?:pytest|py\.test)(?![\w.-])"),
    "unittest": re.compile(
        r"(?<=-m)\s*unittest\b|\b(?:manage\.py|django-admin)\s+test\b"
        r"|\bpython[\d.]*\s+(?:-[WX]\s*\S+\s+|-\w+\s+)*[\w./-]*test[\w-]*\.py\b"
    ),
    "node": re.compile(r"\b(?:node|tsx)\b.*\s(?:--test\b|\S*test\S*\.[cm]?[jt]s\b)"),
    "jest": re.compile(_WORD + r"(?:jest(?![\w.-])|react-scripts\s+test\b)"),
    "mocha": re.compile(_WORD + r"_?mocha(?![\w.-])"),
    "ava": re.compile(_WORD + r"ava(?![\w.-])"),
    "vitest": re.compile(_WORD + r"vitest(?![\w.-])"),
    "go": re.compile(r"(?<![\w/.-])go\s+(?:-C\s+\S+\s+)?test\b"),
    "cargo": re.compile(r"\bcargo\s+(?:\+\S+\s+)?(?:-\S+\s+)*(?:t|test)\b"),
    "tap": re.compile(_WORD + r"(?:prove|tap|tape|bats)(?![\w.-])|--tap\b"),
    "maven": re.compile(_WORD + r"mvnw?(?![\w.-])"),
    "gradle": re.compile(_WORD + r"gradlew?(?![\w.-])"),
}
_TELLS_ITS_END = frozenset(("pytest", "unittest", "node", "jest", "mocha", "vitest"))
_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?([\w:.-]+)")
_ALL = re.compile(r"(?:^|[\s/])(?:npm-run-all|run-[sp])\s(.*)")
_MAKE = re.compile(r"(?:^|\s)g?make(?=\s|$)(.*)")
_FILE = re.compile(r"(?:^|\s)(?:\./)?([\w-][\w./-]*\.(?:sh|bash))(?=\s|$)")
# A search path that forgets ours, or a Python that has none.
_CLOSED = re.compile(
    r"PYTHONPATH\s*:{0,2}=(?!\S*\$\S*PYTHONPATH)|\bpython[\d.]*\s+(?:-[a-zA-Z]+\s+)*-\w*[IES]\w*\s"
)
_JUNIT = re.compile(r"--junit-?xml[=\s]+([^\s'\"]+)")
_NO_JUNIT = re.compile(r"-p\s*no:junitxml")
_OFF = re.compile(r"--no-[\w-]+|--[\w-]+=(?:false|0)\b")
"""What a command says it does not want."""
_ANY = re.compile(r"[A-Za-z_][\w:-]*")
_SHORT = {"t": "test", "tst": "test"}


class Recognised(Struct, frozen=True):
    runners: frozenset[str] = frozenset()
    closed: bool = False
    """Whether Python cannot be given our instruments."""
    junit: tuple[str, ...] = ()
    """Where pytest writes JUnit's XML by the command's own words."""
    no_junit: bool = False
    is_one: bool = False
    """Whether it starts one runner, once, and that says when it has told all."""


def recognise(command: Command, folder: Path) -> Recognised:
    pieces = list(dict.fromkeys(_pieces(shown(command), ProjectFolder(folder))))
    found = [name for name, words in _RUNNERS.items() for one in pieces if words.search(one)]
    return Recognised(
        runners=frozenset(found),
        closed=any(map(_CLOSED.search, pieces)),
        junit=tuple(path for piece in pieces for path in _JUNIT.findall(piece)),
        no_junit=any(map(_NO_JUNIT.search, pieces)),
        is_one=len(found) == 1 and found[0] in _TELLS_ITS_END,
    )


def words(command: Command, folder: Path) -> frozenset[str]:
    """Every word of the command and of the scripts behind it: the tools that it runs are there."""
    pieces = (_OFF.sub(" ", piece) for piece in _pieces(shown(command), ProjectFolder(folder)))
    return frozenset(word for piece in pieces for word in _ANY.findall(piece))


def _pieces(start: str, project: ProjectFolder) -> Iterator[str]:
    """The commands in the text and, as far as they can be found, in the scripts that it runs."""
    waiting, seen = [start], {start}
    for _ in range(_MOST_TEXTS):
        if not waiting:
            return
        text = waiting.pop(0)[:_LONGEST]
        pieces = [piece[:_PIECE] for piece in re.split(r"[;&|\n]+", text) if piece.strip()]
        yield from pieces
        behind = dict.fromkeys([*_scripts(pieces, project), *_targets(pieces, project)])
        behind |= dict.fromkeys(_files(pieces, project))
        waiting += [one for one in behind if one not in seen]
        seen.update(behind)


def _scripts(pieces: list[str], project: ProjectFolder) -> Iterator[str]:
    names = [name for piece in pieces for name in _SCRIPT.findall(piece)]
    patterns = [name for piece in pieces for all_ in _ALL.findall(piece) for name in all_.split()]
    if not names and not patterns:
        return
    scripts = table(project.json("package.json"), "scripts")
    names += [name for one in patterns for name in scripts if fnmatchcase(name, one)]
    for name in dict.fromkeys(_SHORT.get(name, name) for name in names):
        behind = (scripts.get(one) for one in (f"pre{name}", name, f"post{name}"))
        yield from (script for script in behind if isinstance(script, str))


def _targets(pieces: list[str], project: ProjectFolder) -> Iterator[str]:
    calls = [words.split() for piece in pieces for words in _MAKE.findall(piece)]
    name = project.has("GNUmakefile", "makefile", "Makefile") if calls else ""
    if not name:
        return
    made = makefile.parse(project.text(name)[:_LONGEST])
    if "PYTHONPATH" in made.values:
        yield f"PYTHONPATH={made.values['PYTHONPATH']}"
    yield from made.behind(word for words in calls for word in words)


def _files(pieces: list[str], project: ProjectFolder) -> Iterator[str]:
    found = [name for piece in pieces for name in _FILE.findall(piece)]
    for name in dict.fromkeys(found):
        if ".." not in name.split("/"):
            yield project.text(name)[:_LONGEST]
