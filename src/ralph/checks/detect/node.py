"""JavaScript and TypeScript: Node's package managers, Bun and Deno."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.checks.detect.project import CheckRole, DetectedCheck, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.checks.detect.project import ProjectFolder
    from ralph.domain.task import Command

_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}

_SCRIPTS = {
    CheckRole.TEST: ("test", "test:ci", "test:unit"),
    CheckRole.LINT: ("lint",),
    CheckRole.TYPES: ("typecheck", "type-check", "check-types", "check:types"),
}

# A script that waits for changes never ends; one that repairs would change what it judges.
_UNFIT = re.compile(r"no test specified|--watch(?!=false|All=false)|--fix\b|--write\b")

_BUN_TESTS = (
    "*.test.[jt]s",
    "src/**/*.test.[jt]s",
    "test/**/*.test.[jt]s",
    "tests/**/*.test.[jt]s",
)
_DENO_TESTS = ("*_test.ts", "src/**/*_test.ts", "test*/**/*_test.ts", "*.test.ts")


def find(project: ProjectFolder) -> Iterator[DetectedCheck]:
    if project.has("package.json"):
        yield from _package(project)
    if name := project.has("deno.json", "deno.jsonc"):
        yield from _deno(project, name)


def _package(project: ProjectFolder) -> Iterator[DetectedCheck]:
    package = project.json("package.json")
    scripts = table(package, "scripts")
    manager = _manager(project, package.get("packageManager"))
    for role, names in _SCRIPTS.items():
        name = next((name for name in names if _is_fit(scripts.get(name))), "")
        if name:
            why = f"package.json: scripts.{name}"
            yield DetectedCheck(role, _run(manager, name, scripts[name]), why)
        elif role is CheckRole.TEST and manager == "bun" and (test := _first(project, _BUN_TESTS)):
            yield DetectedCheck(CheckRole.TEST, ("bun", "test"), test)


def _is_fit(script: object) -> bool:
    return isinstance(script, str) and bool(script.strip()) and not _UNFIT.search(script)


def _manager(project: ProjectFolder, declared: object) -> str:
    name = declared.partition("@")[0] if isinstance(declared, str) else ""
    if name in _LOCKS.values():
        return name
    return next((manager for lock, manager in _LOCKS.items() if project.has(lock)), "npm")


def _run(manager: str, name: str, script: str) -> Command:
    # `bun test` is Bun's own runner; the others know `test` as a word of theirs.
    word = (name,) if name == "test" and manager != "bun" else ("run", name)
    # Without CI it waits for changes even where nobody watches.
    quiet = ("env", "CI=true") if "react-scripts test" in script else ()
    return (*quiet, manager, *word)


def _deno(project: ProjectFolder, name: str) -> Iterator[DetectedCheck]:
    if re.search(r'"tasks"\s*:\s*\{[^}]*"test"\s*:', project.text(name)):
        yield DetectedCheck(CheckRole.TEST, ("deno", "task", "test"), f"{name}: tasks.test")
    elif test := _first(project, _DENO_TESTS):
        yield DetectedCheck(CheckRole.TEST, ("deno", "test"), test)


def _first(project: ProjectFolder, patterns: tuple[str, ...]) -> str:
    return next((found for pattern in patterns if (found := project.any(pattern))), "")
