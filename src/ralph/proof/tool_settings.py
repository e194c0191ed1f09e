"""Whether a changed file of settings can matter to the checks: those of tools that no check runs
cannot, nor can names, versions and licences.
"""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_MANIFEST = frozenset(
    (
        *("type", "main", "module", "exports", "imports", "browser", "types", "workspaces", "bin"),
        *("jest", "mocha", "ava", "vitest", "tap", "c8", "nyc", "babel", "tape", "config", "xo"),
    )
)
"""Parts of package.json that say what is loaded, or how tests are run."""
_DEPENDENCIES = frozenset(
    (
        *("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"),
        *("resolutions", "overrides", "pnpm", "packageManager", "project", "dependency-groups"),
        *("build-system", "poetry", "pdm", "uv", "hatch", "options"),
    )
)
"""Parts that say what is installed."""
_WITH = {"pytest": ("coverage", "cov"), "tox": ("testenv", "gh-actions"), "unittest": ("coverage",)}
"""What a runner of this name may read besides its own settings."""
_OF_ONE_TOOL = re.compile(
    r"\.?(ruff|mypy|flake8|pylint|pyright|golangci|clippy|biome|pre-commit|nox|just|rake|task|make|gnumake"
    r"|eslint|prettier|stylelint|commitlint|renovate|dependabot|readthedocs|codecov)(?:rc|config|file)?"
    r"(?:[.-].*)?"
)
"""Files that one tool reads, and nobody else."""
_CALLED = {"golangci": "golangci-lint", "gnumake": "make"}
_LOCKS = re.compile(
    r"(?:package-lock|npm-shrinkwrap|composer)\.json|.*-lock\.(?:json|ya?ml)|.*\.lock|bun\.lockb"
    r"|requirements.*\.txt|constraints.*\.txt"
)


def can_matter(
    path: str, before: str, after: str, tools: Collection[str], *, installs: bool = False
) -> bool:
    """`tools` are the words of the checks; `installs`: dependencies are installed for them."""
    name = path.rpartition("/")[2].lower()
    if _LOCKS.fullmatch(name):
        return installs
    if found := _OF_ONE_TOOL.fullmatch(name):
        return _CALLED.get(found[1], found[1]) in tools
    try:
        differing = set(_differing(name, before, after))
    except (ValueError, RecursionError, configparser.Error, AttributeError, TypeError):
        return True
    return any(_matters(part, tools, installs=installs) for part in differing)


def _differing(name: str, before: str, after: str) -> Iterator[str]:
    """The parts that are not the same; a whole file that is not understood is one part."""
    if name == "package.json":
        yield from _parts(json.loads(before or "{}"), json.loads(after or "{}"))
    elif name.endswith(".toml"):
        old, new = tomllib.loads(before), tomllib.loads(after)
        yield from _parts(old.pop("tool", {}), new.pop("tool", {}))
        yield from _parts(old, new)
    elif name in ("setup.cfg", "tox.ini"):
        for part in _parts(_sections(before), _sections(after)):
            yield re.split(r"[:.]", part.removeprefix("tool:"))[0]
    else:
        yield "?"


def _parts(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for part in {*old, *new}:
        if old.get(part) != new.get(part):
            if part == "scripts":
                names = {*old.get(part, {}), *new.get(part, {})}
                was, now = old.get(part, {}), new.get(part, {})
                yield from (f"script {one}" for one in names if was.get(one) != now.get(one))
            else:
                yield part


def _sections(text: str) -> dict[str, Any]:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.read_string(text)
    return {name: dict(read[name]) for name in read.sections()}


def _matters(part: str, tools: Collection[str], *, installs: bool) -> bool:
    if part in ("?", *_MANIFEST):
        return True
    if part in _DEPENDENCIES:
        return installs
    if part.startswith("script "):
        name = re.sub(r"^(?:pre|post)", "", part.removeprefix("script "))
        return name in tools or part.removeprefix("script ") in tools
    names = {part, *(other for tool, also in _WITH.items() for other in also if tool in tools)}
    return part in tools or any(part.startswith(name) for name in names - {part})
