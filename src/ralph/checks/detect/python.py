from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ralph.checks.detect.project import CheckRole, DetectedCheck, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.checks.detect.project import ProjectFolder
    from ralph.domain.task import Command

_RUNNERS = {
    "uv.lock": ("uv", "run"),
    "poetry.lock": ("poetry", "run"),
    "pdm.lock": ("pdm", "run"),
    "Pipfile.lock": ("pipenv", "run"),
}

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "Pipfile")

_TESTS = ("tests/test_*.py", "tests/**/test_*.py", "test/test_*.py", "test_*.py", "*_test.py")


def find(project: ProjectFolder) -> Iterator[DetectedCheck]:
    yield from _tests(project)
    if why := _ruff(project):
        yield from _tool(project, CheckRole.LINT, "ruff", ("check", "."), why)
    if why := _mypy(project):
        target = () if _mypy_knows_its_files(project) else (".",)
        yield from _tool(project, CheckRole.TYPES, "mypy", target, why)


def _tests(project: ProjectFolder) -> Iterator[DetectedCheck]:
    if why := _pytest(project):
        command = _module(project, "pytest") or (_python(project), "-m", "pytest")
        yield DetectedCheck(CheckRole.TEST, (*command, "-q"), why)
    elif project.has("manage.py"):
        yield DetectedCheck(CheckRole.TEST, (_python(project), "manage.py", "test"), "manage.py")
    elif first := _first_test(project):
        yield _plain_tests(project, first)


def _plain_tests(project: ProjectFolder, first: str) -> DetectedCheck:
    """Test files of a project that names no runner: pytest runs unittest's too, if it is there."""
    command, text = _module(project, "pytest"), project.text(first)
    if not command and "unittest" in text and "pytest" not in text:
        folder = first.partition("/")[0] if "/" in first else "."
        unittest = (_python(project), "-m", "unittest", "discover", "-s", folder)
        return DetectedCheck(CheckRole.TEST, unittest, first)
    command = command or (_python(project), "-m", "pytest")
    return DetectedCheck(CheckRole.TEST, (*command, "-q"), first)


def _first_test(project: ProjectFolder) -> str:
    return next((found for pattern in _TESTS if (found := project.any(pattern))), "")


def _pytest(project: ProjectFolder) -> str:
    """The file that says that pytest runs the tests."""
    tool = table(project.toml("pyproject.toml"), "tool", "pytest")
    if tool:
        return "pyproject.toml: [tool.pytest]"
    if name := project.has("pytest.ini", "conftest.py", "tests/conftest.py"):
        return name
    if re.search(r"^\[pytest\]", project.text("tox.ini"), re.MULTILINE):
        return "tox.ini: [pytest]"
    if re.search(r"^\[tool:pytest\]", project.text("setup.cfg"), re.MULTILINE):
        return "setup.cfg: [tool:pytest]"
    if not _first_test(project):
        return ""
    requirements = (*_MANIFESTS, *project.matching("requirements*.txt"))
    mentions = re.compile(r"(?m)(^|[\s\"'\[])pytest\b")
    return next(
        (f"{name}: pytest" for name in requirements if mentions.search(project.text(name))), ""
    )


def _ruff(project: ProjectFolder) -> str:
    if name := project.has("ruff.toml", ".ruff.toml"):
        return name
    configured = table(project.toml("pyproject.toml"), "tool", "ruff")
    return "pyproject.toml: [tool.ruff]" if configured else ""


def _mypy(project: ProjectFolder) -> str:
    if name := project.has("mypy.ini", ".mypy.ini"):
        return name
    if table(project.toml("pyproject.toml"), "tool", "mypy"):
        return "pyproject.toml: [tool.mypy]"
    configured = re.search(r"^\[mypy\]", project.text("setup.cfg"), re.MULTILINE)
    return "setup.cfg: [mypy]" if configured else ""


def _mypy_knows_its_files(project: ProjectFolder) -> bool:
    tool = table(project.toml("pyproject.toml"), "tool", "mypy")
    if {"files", "packages", "modules"} & tool.keys():
        return True
    texts = (project.text(name) for name in ("mypy.ini", ".mypy.ini", "setup.cfg"))
    sections = (re.split(r"^\[mypy\]", text, maxsplit=1, flags=re.MULTILINE) for text in texts)
    return any(
        re.search(r"^(files|packages|modules)\s*=", parts[1].split("\n[")[0], re.MULTILINE)
        for parts in sections
        if len(parts) > 1
    )


def _tool(
    project: ProjectFolder, role: CheckRole, module: str, arguments: Command, why: str
) -> Iterator[DetectedCheck]:
    command = _module(project, module)
    if not command and not _venv(project):
        # Configured and no environment of its own: installed for the user, like an editor.
        command = (module,)
    if command:
        yield DetectedCheck(role, (*command, *arguments), why)


def _module(project: ProjectFolder, module: str) -> Command:
    """How this project runs a tool that is known to be installed for it."""
    venv = _venv(project)
    if venv and project.any(f"{venv}/lib/python*/site-packages/{module}"):
        return (f"{venv}/bin/python", "-m", module)
    for lock, runner in _RUNNERS.items():
        if re.search(rf'"{module}"', project.text(lock)):
            return (*runner, module)
    return ()


def _venv(project: ProjectFolder) -> str:
    return next((name for name in (".venv", "venv") if project.has(f"{name}/bin/python")), "")


def _python(project: ProjectFolder) -> str:
    venv = _venv(project)
    return f"{venv}/bin/python" if venv else "python3"
