"""Programs that live where a child sees nothing, such as the user's home: they are shown to it.

The folders on PATH say which. Of a folder such as ~/.pyenv all is needed; of ~/.local, which holds
what other programs keep as well, only the programs and what they are links to.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.process.walls import HOMES, OWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHARED = frozenset((".local", ".config", ".cache", "Library", "snap"))
"""Folders of a home in which many programs keep things, each in one of its own."""
ALWAYS = (
    *(".local/lib", ".gitconfig", ".config/git/config", ".config/git/ignore", ".config/pip"),
    *(".rustup", ".m2/repository", ".gradle/caches", ".cargo/registry", "go/pkg/mod", ".nvm"),
)
"""Libraries, settings of git and pip, and downloaded packages: never a login."""
SECRET = (".cargo/credentials.toml", ".cargo/credentials")
PROGRAMS = ("bin", "shims", "sbin")
_BELOW_SHARED = 3


def shown(home: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What a child has to see to run the programs on PATH, to be read only."""
    found = [home / name for name in ALWAYS]
    # the Python that Ralph itself runs with: its own agents and flows are written in it
    found += [one for one in map(Path, (sys.prefix, sys.base_prefix)) if _hidden_by(home, one)]
    for entry in environ.get("PATH", "").split(os.pathsep):
        if entry.startswith("/"):
            found += _of_entry(home, Path(entry))
    return tuple(dict.fromkeys(str(one) for one in found if one.exists()))


def secrets(home: Path) -> tuple[str, ...]:
    """Logins among these, which have to be covered."""
    return tuple(str(home / name) for name in SECRET if (home / name).is_file())


def behind(home: Path, path: Path) -> Iterator[Path]:
    """What is needed to run a program, or to read a file, that a command names."""
    for one in dict.fromkeys((path, Path(os.path.realpath(path)))):
        if (root := _hidden_by(home, one)) is not None:
            if one != root:  # a whole home is nothing that a command needs
                yield _whole(root, one.parent) or one
        elif one != path:
            yield one


def _of_entry(home: Path, entry: Path) -> Iterator[Path]:
    root = _hidden_by(home, entry)
    if not entry.is_dir() or entry == root:
        return
    if root is not None:
        yield entry
        yield from filter(None, (_whole(root, entry),))
        names = [one for one in entry.iterdir() if one.is_symlink()]
    else:  # an installation in a home may be linked from /usr
        names = [entry / name for name in ("python3", "python", "node", "claude")]
    for one in names:
        real = Path(os.path.realpath(one))
        if (place := _hidden_by(home, real)) is not None and real.exists():
            yield _whole(place, real.parent) or real


def _hidden_by(home: Path, path: Path) -> Path | None:
    """The home, or the place of temporary files, that this lies in."""
    if path.is_relative_to(home):
        return home
    for name in HOMES:
        if path.is_relative_to(name) and path != Path(name):
            inside = path.relative_to(name).parts
            return Path(name) if name == HOMES[1] else Path(name, inside[0])
    return next((Path(name) for name in OWN if path.is_relative_to(name)), None)


def _whole(root: Path, folder: Path) -> Path | None:
    """The folder of the installation that a folder of programs belongs to."""
    parts = folder.relative_to(root).parts
    if not parts:
        return None
    if parts[0] in SHARED:
        return root.joinpath(*parts[:_BELOW_SHARED]) if len(parts) >= _BELOW_SHARED else None
    if parts[0].startswith("."):
        return root / parts[0]
    parent = folder.parent
    is_installed = folder.name in PROGRAMS and (parent / "lib").exists()
    return parent if parent != root and is_installed else None
