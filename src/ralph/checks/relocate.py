"""Copied dependencies name the place they were copied from; afterwards they name the new one."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING
from urllib.parse import quote

from ralph import files
from ralph.checks.fingerprint import FILE, LINK, remove

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MOST_BYTES = 2 << 20
# The kernel reads 256 bytes of a script's first line.
_LONGEST_SHEBANG = 250
_NAMES = frozenset(("pyvenv.cfg", "direct_url.json", ".modules.yaml", ".yarn-state.yml"))
_ENDINGS = (".pth", ".egg-link")
_BEGINNINGS = (".pnpm-workspace-state", ".env")
_PROGRAM_FOLDERS = frozenset(("bin", ".bin"))
_NOT_BEFORE = rb"(?<![\w.~+@-])"
_NOT_AFTER = rb"(?![\w.~+@%-])"


class Move:
    """From the user's checkout to the target: what a path or a text becomes."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source = source
        self.target = target
        pairs: dict[bytes, bytes] = {}
        for spelled in (os.fspath(source), os.path.realpath(source)):
            pairs[os.fsencode(quote(spelled))] = os.fsencode(quote(os.fspath(target)))
            pairs[os.fsencode(spelled)] = os.fsencode(target)
        longest = sorted(pairs, key=len, reverse=True)
        either = b"|".join(re.escape(spelled) for spelled in longest)
        self._pairs = pairs
        self._pattern = re.compile(_NOT_BEFORE + b"(?:" + either + b")" + _NOT_AFTER)

    def data(self, data: bytes) -> bytes:
        return self._pattern.sub(lambda match: self._pairs[match[0]], data)

    def text(self, text: str) -> str:
        return os.fsdecode(self.data(os.fsencode(text)))

    def path(self, path: str) -> str | None:
        """Where an absolute path below the source is in the target; None for other paths."""
        for root in (os.fspath(self.source), os.path.realpath(self.source)):
            if path == root or path.startswith(root + "/"):
                return os.fspath(self.target) + path[len(root) :]
        return None


def relocate(copy: Path, place: str, listing: Mapping[str, str], move: Move) -> None:
    """Correct a fresh copy of the source's `place`, wherever the copy is now."""
    for name, described in listing.items():
        path = copy / name if name else copy
        if described.startswith(LINK):
            _relink(path, f"{place}/{name}", described[len(LINK) :], move)
        elif described.startswith(FILE) and _may_name_paths(name or place):
            _rewrite(path, move)


def _may_name_paths(name: str) -> bool:
    folder, _, base = name.rpartition("/")
    return (
        base in _NAMES
        or base.endswith(_ENDINGS)
        or base.startswith(_BEGINNINGS)
        or ("editable" in base and base.endswith(".py"))
        or folder.rpartition("/")[2] in _PROGRAM_FOLDERS
    )


def _relink(path: Path, name: str, link: str, move: Move) -> None:
    folder = os.path.dirname(name)  # noqa: PTH120 - a name, not a path on disk
    meant = os.path.normpath(move.source / folder / link)
    wanted = move.path(meant) or meant
    if os.path.normpath(move.target / folder / link) == wanted:
        return
    path.unlink()
    path.symlink_to(wanted)


def _rewrite(path: Path, move: Move) -> None:
    if path.stat().st_size > _MOST_BYTES:
        return
    data = path.read_bytes()
    in_programs = path.parent.name in _PROGRAM_FOLDERS
    if in_programs and not (data.startswith(b"#!") or path.name.startswith("activate")):
        return
    changed = move.data(data)
    if changed == data:
        return
    files.write(path, _startable(data, changed), durable=False)
    # Compiled code is matched by size and second, which a quick copy may share.
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
        remove(compiled)


def _startable(before: bytes, after: bytes) -> bytes:
    """The script with a first line that the kernel can read, also for long and spaced paths."""
    old, _, _ = before.partition(b"\n")
    new, _, rest = after.partition(b"\n")
    spaced = new.count(b" ") > old.count(b" ")
    if not new.startswith(b"#!") or b"python" not in old or old == new:
        return after
    if len(new) <= _LONGEST_SHEBANG and not spaced:
        return after
    arguments = old[2:].split()[1:]
    program = new[2 : len(new) - sum(len(a) + 1 for a in arguments)].strip()
    words = b" ".join([os.fsencode(shlex.quote(os.fsdecode(program))), *arguments])
    # To a shell these lines start Python; to Python they are a text in quotes.
    return b"#!/bin/sh\n'''exec' " + words + b' "$0" "$@"\n' + b"' '''\n" + rest
