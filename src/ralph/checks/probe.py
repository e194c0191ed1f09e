"""Proves that checks import the candidate's code and not the workspace's."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.process import Child

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ralph.checks.carry import Runner

# find_spec of a top-level name reads folders and never runs the package. The current folder is
# left out: a program such as `pytest` does not look there either.
_SCRIPT = """
import importlib.util, json, os, sys
sys.path[:] = [p for p in sys.path if p]
found = {}
for name in sys.argv[1:]:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        continue
    if spec is not None:
        places = [spec.origin] if spec.has_location else spec.submodule_search_locations or []
        found[name] = [os.path.realpath(p) for p in places]
print("\\nralph-probe:" + json.dumps(found))
"""
_ANSWER = "ralph-probe:"
_MOST_NAMES = 100
_SECONDS = 60
_PROJECTS = ("pyproject.toml", "setup.py", "setup.cfg")
_NOT_PACKAGES = frozenset(
    (
        *("conftest", "docs", "doc", "examples", "example", "fabfile", "manage", "noxfile"),
        *("scripts", "setup", "tasks", "test", "tests", "tools", "versioneer"),
    )
)
_MAPPING = re.compile(r"^MAPPING\b[^=]*=\s*(\{.*?\})\s*$", re.MULTILINE | re.DOTALL)


class Stray(Struct, frozen=True):
    """A package of this repository that would be imported from elsewhere."""

    name: str
    place: str
    folder: str
    """The candidate's folder that holds it; empty if it holds none."""


async def origins(
    run: Runner, python: str, names: Iterable[str], root: Path, env: Mapping[str, str]
) -> dict[str, list[str]] | None:
    """Where this Python finds each package; None if it cannot even say that."""
    asked = sorted(names)[:_MOST_NAMES]
    argv = (python, "-c", _SCRIPT, *asked)
    finished = await run(Child(argv, root, env, wall_seconds=_SECONDS))
    if finished.exit_code != 0:
        return None
    for line in reversed(finished.text(1 << 20).splitlines()):
        if line.startswith(_ANSWER):
            answer: dict[str, list[str]] = json.loads(line[len(_ANSWER) :])
            return answer
    return None


def strays(
    found: Mapping[str, Sequence[str]],
    packages: Mapping[str, str],
    root: Path,
    carried: Iterable[str],
) -> list[Stray]:
    """Those found outside the candidate's own files; what is not found at all misleads nobody."""
    top = os.path.realpath(root)
    copies = tuple(f"{top}/{path}/" for path in carried)
    return [
        Stray(name, place, packages.get(name, ""))
        for name, places in found.items()
        for place in places[:1]
        if not place.startswith(f"{top}/") or place.startswith(copies)
    ]


def missing(found: Mapping[str, Sequence[str]], packages: Mapping[str, str]) -> list[str]:
    """The folders `src` of packages that this Python does not find.

    An environment that lies elsewhere has them installed from the user's checkout, which is not
    there for checks.
    """
    every = ((name, Path(folder)) for name, folder in packages.items() if name not in found)
    return [str(folder) for name, folder in every if _holds_only_packages(folder, name)]


def _holds_only_packages(folder: Path, name: str) -> bool:
    """Whether it can come first: nothing in it has the name of a module of Python's own."""
    if folder.name != "src" or not (folder / name / "__init__.py").is_file():
        return False
    return sys.stdlib_module_names.isdisjoint(one.stem for one in folder.iterdir())


def own_packages(root: Path, installed: Iterable[str] = ()) -> dict[str, str]:
    """The importable packages of this repository and the folder each is imported from."""
    found: dict[str, str] = {}
    for pattern in ("", "*/", "*/*/"):
        manifests = (m for name in _PROJECTS for m in root.glob(f"{pattern}{name}"))
        for project in sorted({manifest.parent for manifest in manifests}):
            place = project.relative_to(root)
            if place.parts and (place.parts[0][0] == "." or _is_below(place, installed)):
                continue
            for name in _importable(project / "src") or _importable(project):
                folder = project / "src" if (project / "src").is_dir() else project
                found.setdefault(name, str(folder))
    return found


def editable_packages(virtualenv: Path, root: Path) -> dict[str, str]:
    """The packages that a virtual environment takes from a folder below `root`."""
    found: dict[str, str] = {}
    for site in virtualenv.glob("lib/python*/site-packages"):
        for file in sorted(site.glob("*.pth")):
            found |= _listed(_text(file), root)
        for file in sorted(site.glob("__editable__*.py")):
            found |= _mapped(_text(file), str(root))
    return found


def _is_below(place: Path, folders: Iterable[str]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def _listed(paths: str, root: Path) -> dict[str, str]:
    """The packages in the folders below `root` that a .pth file names."""
    lines = [line.strip() for line in paths.splitlines()]
    below = [line for line in lines if line == str(root) or line.startswith(f"{root}/")]
    return {name: line for line in below for name in _importable(root / line)}


def _mapped(finder: str, root: str) -> dict[str, str]:
    match = _MAPPING.search(finder)
    try:
        mapping = ast.literal_eval(match[1]) if match else {}
    except (ValueError, SyntaxError):
        return {}
    return {
        name: os.path.dirname(place)  # noqa: PTH120 - text from a file
        for name, place in mapping.items()
        if "." not in name and place.startswith(f"{root}/")
    }


def _importable(folder: Path) -> list[str]:
    """Packages in a folder, or, where there are none, single modules."""
    if not folder.is_dir():
        return []
    packages = [p.parent.name for p in folder.glob("*/__init__.py")]
    names = packages or [m.stem for m in folder.glob("*.py")]
    return sorted(
        name
        for name in names
        if name.isidentifier() and name not in _NOT_PACKAGES and name not in sys.stdlib_module_names
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")
