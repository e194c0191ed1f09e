"""Where node finds the packages of this repository."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ralph import files
from ralph.checks.probe import Stray

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.checks.relocate import Move

_LOCAL = ("file:", "link:", "portal:", "workspace:")
_SECTIONS = ("dependencies", "devDependencies", "optionalDependencies")
_ARCHIVES = (".tgz", ".tar.gz", ".tar")


def stray_links(folder: Path, move: Move) -> tuple[list[Stray], list[str]]:
    """Packages that are not the candidate's, and notes on links out of the repository."""
    strays: list[Stray] = []
    notes: list[str] = []
    local = _local_packages(folder.parent / "package.json")
    target = os.path.realpath(move.target)
    for name, path in _packages(folder):
        if not (path.is_symlink() or name in local) or not path.exists():
            continue
        real = os.path.realpath(path)
        inside = real.startswith(f"{target}/")
        copied = name in local and "/node_modules/" in real.removeprefix(target)
        if copied if inside else move.path(real) is not None:
            strays.append(Stray(name, real, ""))
        elif not inside:
            notes.append(f"`{name}` is linked from {real}, outside the repository.")
    return strays, notes


def _packages(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("@") and path.is_dir():
            yield from ((f"{path.name}/{inner.name}", inner) for inner in sorted(path.iterdir()))
        elif not path.name.startswith("."):
            yield path.name, path


def _local_packages(manifest: Path) -> frozenset[str]:
    """Dependencies that a package.json takes from folders instead of a registry."""
    try:
        read: Any = json.loads(files.read(manifest) or b"{}")
        wanted = {n: v for part in _SECTIONS for n, v in (read.get(part) or {}).items()}
    except (ValueError, AttributeError):
        return frozenset()
    return frozenset(
        name
        for name, version in wanted.items()
        if isinstance(version, str)
        and version.startswith(_LOCAL)
        and not version.endswith(_ARCHIVES)
    )
