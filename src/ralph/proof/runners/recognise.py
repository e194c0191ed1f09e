"""Which runners of tests a command leads to, told from its words and the scripts behind them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.checks.detect.project import ProjectFolder, table
from ralph.domain.task import shown
from ralph.proof.runners import RUNNERS, makefile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.domain.task import Command

_MOST_TEXTS = 20
_LONGEST = 64 << 10
_PIECE = 500
"""Patterns look at a piece of a command line: the scripts behind a command may be anybody's."""

_SCRIPT = re.compile(r"\b(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?([\w:.-]+)")
_ALL = re.compile(r"(?:^|[\s/])(?:npm-run-all|run-[sp])\s(.*)")
_MAKE = re.compile(r"(?:^|\s)g?make(?=\s|$)(.*)")
_FILE = re.compile(r"(?:^|\s)(?:\./)?([\w-][\w./-]*\.(?:sh|bash))(?=\s|$)")
# A search path that forgets ours, or a Python that has none.
_CLOSED = re.compile(
    r"PYTHONPATH\s*:{0,2}=(?!\S*\$\S*PYTHONPATH)|\bpython[\d.]*\s+(?:-[a-zA-Z]+\s+)*-\w*[IES]\w*\s"
)
_OFF = re.compile(r"--no-[\w-]+|--[\w-]+=(?:false|0)\b")
"""What a command says it does not want."""
_ANY = re.compile(r"[A-Za-z_][\w:-]*")
_SHORT = {"t": "test", "tst": "test"}


class Recognised(Struct, frozen=True):
    runners: frozenset[str] = frozenset()
    """Their names."""
    closed: bool = False
    """Whether Python cannot be given our instruments."""
    is_one: bool = False
    """Whether it starts one runner, once, and that says when it has told all."""
    pieces: tuple[str, ...] = ()
    """The single commands behind it."""


def recognise(command: Command, folder: Path) -> Recognised:
    pieces = tuple(dict.fromkeys(_pieces(shown(command), ProjectFolder(folder))))
    found = [one for one in RUNNERS for piece in pieces if one.started.search(piece)]
    return Recognised(
        runners=frozenset(one.name for one in found),
        closed=any(map(_CLOSED.search, pieces)),
        is_one=len(found) == 1 and found[0].tells_its_end,
        pieces=pieces,
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
