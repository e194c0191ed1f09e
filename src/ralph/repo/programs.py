"""Programs that a repository's own git configuration names, and how Ralph's git is kept from them.

Git trusts `.git/config`. A clone does not bring one along, but an unpacked archive does, and an
agent or a test may write to it. What it names is run only after a person has accepted it (filters
of git-crypt, nbstripout and others must work then); until then Ralph's git sees what the
configuration of the user and of the machine says instead. Both are the user's own, and count.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

KEY = re.compile(
    r"""core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)
    |filter\..+\.(clean|smudge|process)
    |diff\.external | diff\..+\.(command|textconv) | merge\..+\.driver
    |credential\.(.+\.)?helper
    |gpg\.(.+\.)?program | gpg\.ssh\.defaultkeycommand
    |alias\..+ | pager\..+ | sequence\.editor | interactive\.difffilter
    |(difftool|mergetool|man|browser)\..+\.(cmd|path) | web\.browser | trailer\..+\.(command|cmd)
    |remote\..+\.(uploadpack|receivepack|vcs) | uploadpack\.packobjectshook
    |submodule\..+\.update | hook\..+\.command | init\.templatedir | protocol\.(.+\.)?allow
    |include\.path | includeif\..+\.path""",
    re.VERBOSE | re.DOTALL,
)
"""Settings that name a program, or another file with such settings; git gives them in lower case,
but for the part in the middle."""
_HINT = re.compile(
    rb"include|fsmonitor|hook|command|cmd|editor|pager|askpass|proxy|clean|smudge|process|external"
    rb"|textconv|driver|helper|program|alias|filter|browser|path|uploadpack|receivepack|vcs|update\b"
    rb"|template|allow",
    re.IGNORECASE,
)
"""One of these words is in every such setting: a file without them need not be read by git."""
_BOOLEAN = frozenset(("", "true", "false", "yes", "no", "on", "off", "0", "1"))
_HARMLESS = {
    "alias": re.compile(r"[^!].*", re.DOTALL),
    "submodule": re.compile(r"checkout|rebase|merge|none"),
    # a word alone is a program of git's own, with anything more it is given to a shell
    "credential": re.compile(r"[\w-]*"),
    "filter": re.compile(r"git[ -]lfs (clean|smudge|filter-process)( --skip)?( --)?( %f)?"),
    "protocol": re.compile(r"never|user"),
}
"""By section: values that run nothing of the repository's."""
_INSTEAD = {"uploadpack": "git-upload-pack", "receivepack": "git-receive-pack", "allow": "never"}
"""What stands for a setting that may not be empty."""


class Program(Struct, frozen=True):
    """One setting of the repository's own configuration."""

    key: str
    value: str


class Configured(Struct, frozen=True):
    """What the repository's own configuration names, and what the user's says of the same."""

    own: tuple[Program, ...] = ()
    users: tuple[Program, ...] = ()

    def overruled(self, accepted: frozenset[Program]) -> Iterator[Program]:
        """Settings that put the user's values in the place of what is not accepted."""
        for key in dict.fromkeys(one.key for one in self.own if one not in accepted):
            if key.startswith("include"):
                continue  # what it includes is listed by itself
            yield Program(key, _INSTEAD.get(key.rpartition(".")[2], ""))
            yield from (one for one in self.users if one.key == key)


_accepted: dict[Path, frozenset[Program]] = {}
"""By the folder that all work trees share."""
_commons: dict[Path, Path] = {}
_seen: dict[Path, tuple[object, Configured]] = {}


def accept(common_dir: Path, programs: Iterable[Program]) -> None:
    """Let Ralph's git run these, for as long as this process lives."""
    _accepted[_real(common_dir)] = frozenset(programs)


def overruling(git_dir: Path, ask: Callable[[], bytes]) -> dict[str, str]:
    """Variables for a git that must run nothing of the repository's. Usually no process.

    Not `-c`: a filter may be called `a=b`. `ask` lists the configuration, as `parse` reads it.
    """
    common = common_dir(git_dir)
    found = configured(git_dir, common, ask)
    every = tuple(found.overruled(_accepted.get(common, frozenset())))
    variables = {"GIT_CONFIG_COUNT": str(len(every))} if every else {}
    if any(one.key.endswith(".uploadpack") for one in every):
        # Of several programs for the other end git takes the first, so this one cannot be
        # overruled; but only a repository on this machine would run it here.
        variables["GIT_ALLOW_PROTOCOL"] = "git:http:https:ssh"
    for number, one in enumerate(every):
        variables[f"GIT_CONFIG_KEY_{number}"] = one.key
        variables[f"GIT_CONFIG_VALUE_{number}"] = one.value
    return variables


def configured(git_dir: Path, common: Path, ask: Callable[[], bytes]) -> Configured:
    """What the configuration names. One process if it has changed and may name anything."""
    places = (common / "config", git_dir / "config.worktree")
    signs = tuple(map(_sign, places))
    known = _seen.get(git_dir)
    if known is not None and known[0] == signs:
        return known[1]
    suspicious = any(_HINT.search(_read(path)) for path in places)
    found = parse(ask()) if suspicious else Configured()
    if any(one.key.startswith("include") for one in found.own):
        # The included file may change without a trace here: look again at every call.
        _seen.pop(git_dir, None)
    else:
        _seen[git_dir] = signs, found
    return found


def parse(listed: bytes) -> Configured:
    """The output of `git config --list --show-scope --includes -z`."""
    own: list[Program] = []
    users: list[Program] = []
    parts = iter(listed.split(b"\0"))
    for scope, entry in zip(parts, parts, strict=False):
        key, _, value = entry.decode("utf-8", "surrogateescape").partition("\n")
        if not KEY.fullmatch(key):
            continue
        if scope in {b"local", b"worktree"}:
            own.append(Program(key, value))
        elif scope in {b"system", b"global"}:
            users.append(Program(key, value))
    return Configured(tuple(one for one in own if not _is_harmless(one)), tuple(users))


def _is_harmless(one: Program) -> bool:
    section, last = one.key.partition(".")[0], one.key.rpartition(".")[2]
    if last in {"fsmonitor", "pager"} or section == "pager":
        return one.value.lower() in _BOOLEAN
    plain = _HARMLESS.get(section)
    return not one.value or (plain is not None and plain.fullmatch(one.value) is not None)


def hooks(common: Path) -> Iterator[Path]:
    """The hooks that git would run, without a process."""
    folder = common / "hooks"
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.suffix != ".sample" and path.is_file() and os.access(path, os.X_OK):
            yield path


def common_dir(git_dir: Path) -> Path:
    """The folder that the work trees of a repository share. Where it is never changes."""
    known = _commons.get(git_dir)
    if known is None:
        known = _real(git_dir / os.fsdecode(_read(git_dir / "commondir")).strip())
        if git_dir.is_dir():
            _commons[git_dir] = known
    return known


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _sign(path: Path) -> tuple[int, ...]:
    try:
        seen = os.stat(path)  # noqa: PTH116 - before every git
    except OSError:
        return ()
    return seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino, stat.S_IFMT(seen.st_mode)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
