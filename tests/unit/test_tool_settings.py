"""Settings of tools that no check runs cannot change what the checks say."""

from __future__ import annotations

import pytest

from ralph.proof.tool_settings import can_matter

TOOLS = frozenset(("python", "pytest", "npm", "test", "mocha"))
PYPROJECT = '[project]\nname = "x"\nversion = "1"\n[tool.pytest.ini_options]\naddopts = "-q"\n'
PACKAGE = '{"version": "1", "scripts": {"test": "mocha", "lint": "eslint ."}, "type": "module"}'


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"1"', '"2"')),
        ("pyproject.toml", PYPROJECT, PYPROJECT + "[tool.ruff]\nline-length = 100\n"),
        ("package.json", PACKAGE, PACKAGE.replace('"1"', '"2"')),
        ("package.json", PACKAGE, PACKAGE.replace("eslint .", "eslint lib")),
        ("package.json", PACKAGE, PACKAGE.replace('"type"', '"dependencies": {"a": "1"}, "type"')),
        ("setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = y\n"),
        ("tox.ini", "[flake8]\nmax = 1\n", "[flake8]\nmax = 2\n"),
        (".pre-commit-config.yaml", "a", "b"),
        ("ruff.toml", "a = 1", "a = 2"),
        (".eslintrc.json", "{}", '{"root": true}'),
        ("uv.lock", "a", "b"),
        ("package-lock.json", "{}", "{}"),
        ("requirements-dev.txt", "a", "b"),
    ],
)
def test_these_cannot(path: str, before: str, after: str) -> None:
    assert not can_matter(path, before, after, TOOLS)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("-q", "-x")),
        ("pyproject.toml", PYPROJECT, PYPROJECT + "[tool.coverage.run]\nbranch = true\n"),
        ("pyproject.toml", PYPROJECT, "not toml ["),
        ("package.json", PACKAGE, PACKAGE.replace('"mocha"', '"true"')),
        ("package.json", PACKAGE, PACKAGE.replace("module", "commonjs")),
        ("package.json", PACKAGE, PACKAGE.replace('"lint"', '"pretest"')),
        ("setup.cfg", "[tool:pytest]\na = 1\n", "[tool:pytest]\na = 2\n"),
        ("conftest.py", "", "x = 1"),
        ("pytest.ini", "", "[pytest]\n"),
        (".mocharc.json", "{}", '{"forbidOnly": false}'),
    ],
)
def test_these_can(path: str, before: str, after: str) -> None:
    assert can_matter(path, before, after, TOOLS)


def test_what_is_installed_matters_where_it_is_installed_for_the_checks() -> None:
    assert can_matter("uv.lock", "a", "b", TOOLS, installs=True)
    other = PYPROJECT.replace('"1"', '"2"')
    assert can_matter("pyproject.toml", PYPROJECT, other, TOOLS, installs=True)


@pytest.mark.parametrize("tool", ["ruff", "make"])
def test_a_tool_that_a_check_runs(tool: str) -> None:
    path = {"ruff": "ruff.toml", "make": "Makefile"}[tool]
    assert can_matter(path, "a", "b", {tool})
    assert not can_matter(path, "a", "b", {"pytest"})
