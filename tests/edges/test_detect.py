from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ralph.checks.detect import Detected, detect
from ralph.domain.task import shown

if TYPE_CHECKING:
    from pathlib import Path


def lay(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commands(root: Path, files: dict[str, str]) -> list[str]:
    lay(root, files)
    detected = detect(root)
    assert len(detected.commands) == len(detected.why)
    assert all(detected.why)
    return [shown(command) for command in detected.commands]


def scripts(**named: str) -> str:
    return json.dumps({"scripts": named})


TEST = "def test_it():\n    assert True\n"
UNITTEST = "import unittest\n\nclass T(unittest.TestCase):\n    def test(self): pass\n"
VENV = ".venv/lib/python3.11/site-packages"


def test_an_empty_folder_has_no_checks(tmp_path: Path) -> None:
    assert detect(tmp_path) == Detected()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pytest.ini": "[pytest]\n"}, ["python3 -m pytest -q"]),
        ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = []\n"}, ["python3 -m pytest -q"]),
        ({"tox.ini": "[tox]\n[pytest]\n"}, ["python3 -m pytest -q"]),
        ({"setup.cfg": "[metadata]\n[tool:pytest]\n"}, ["python3 -m pytest -q"]),
        ({"tests/test_a.py": TEST}, ["python3 -m pytest -q"]),
        ({"tests/test_a.py": UNITTEST}, ["python3 -m unittest discover -s tests"]),
        (
            {"tests/test_a.py": UNITTEST, "requirements-dev.txt": "pytest>=8\n"},
            ["python3 -m pytest -q"],
        ),
        (
            {"tests/test_a.py": UNITTEST, "setup.py": "extras = ['pytest-cov']"},
            ["python3 -m pytest -q"],
        ),
        ({"manage.py": "", "app/tests.py": ""}, ["python3 manage.py test"]),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, []),
        ({"tests/test_a.py": TEST, "uv.lock": 'name = "pytest"\n'}, ["uv run pytest -q"]),
        ({"tests/test_a.py": TEST, "poetry.lock": 'name = "pytest"\n'}, ["poetry run pytest -q"]),
        (
            {"tests/test_a.py": TEST, ".venv/bin/python": "", f"{VENV}/pytest/__init__.py": ""},
            [".venv/bin/python -m pytest -q"],
        ),
    ],
)
def test_python_tests(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert commands(tmp_path, files) == expected


def test_python_linters_only_where_configured_and_installed(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n",
        "tests/test_a.py": TEST,
    }
    assert commands(tmp_path, files) == ["python3 -m pytest -q", "ruff check .", "mypy ."]
    with_venv = {".venv/bin/python": "", f"{VENV}/ruff/__init__.py": ""}
    assert commands(tmp_path, with_venv) == [
        ".venv/bin/python -m pytest -q",
        ".venv/bin/python -m ruff check .",
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[tool.mypy]\nfiles = ['src']\n"},
        {"mypy.ini": "[mypy]\nstrict = True\nfiles = src\n"},
        {"setup.cfg": "[mypy]\npackages = a\n[other]\n"},
    ],
)
def test_mypy_that_knows_its_files_is_not_told_others(
    tmp_path: Path, files: dict[str, str]
) -> None:
    assert commands(tmp_path, files) == ["mypy"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": scripts(test="jest")}, ["npm test"]),
        ({"package.json": scripts(test="jest"), "yarn.lock": ""}, ["yarn test"]),
        ({"package.json": scripts(test="jest"), "pnpm-lock.yaml": ""}, ["pnpm test"]),
        ({"package.json": scripts(test="x"), "bun.lockb": ""}, ["bun run test"]),
        ({"package.json": scripts(), "bun.lock": "", "a.test.ts": ""}, ["bun test"]),
        (
            {"package.json": scripts(lint="eslint .", typecheck="tsc", test="vitest run")},
            ["npm test", "npm run lint", "npm run typecheck"],
        ),
        (
            {"package.json": scripts(test='echo "Error: no test specified" && exit 1')},
            [],
        ),
        ({"package.json": scripts(test="jest --watch")}, []),
        (
            {"package.json": scripts(**{"test": "jest --watch", "test:ci": "jest"})},
            ["npm run test:ci"],
        ),
        ({"package.json": scripts(test="ng test --watch=false")}, ["npm test"]),
        ({"package.json": scripts(test="react-scripts test")}, ["env CI=true npm test"]),
        ({"package.json": scripts(test="jest", lint="eslint --fix .")}, ["npm test"]),
        (
            {"package.json": '{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}'},
            ["pnpm test"],
        ),
        ({"package.json": '{"scripts": ["test"]}'}, []),
        ({"package.json": '{"scripts": {"test": 3}}'}, []),
        ({"package.json": "{"}, []),
        ({"package.json": "[" * 100_000}, []),
        ({"deno.jsonc": '{ // a\n "tasks": {"test": "deno test"} }'}, ["deno task test"]),
        ({"deno.json": "{}", "a_test.ts": ""}, ["deno test"]),
        ({"deno.json": "{}"}, []),
    ],
)
def test_javascript(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert commands(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"go.mod": "module x\n"}, ["go test ./...", "go vet ./..."]),
        ({"Cargo.toml": "[package]\nname = 'x'\n"}, ["cargo test"]),
        (
            {"Cargo.toml": "[workspace]\n[workspace.lints.clippy]\nall = 'deny'\n"},
            ["cargo test --workspace", "cargo clippy --all-targets --workspace"],
        ),
        ({"pom.xml": "<project/>"}, ["mvn --batch-mode --quiet test"]),
        ({"pom.xml": "", "mvnw": ""}, ["./mvnw --batch-mode --quiet test"]),
        ({"build.gradle.kts": "", "gradlew": ""}, ["./gradlew --console=plain test"]),
        ({"build.gradle": ""}, ["gradle --console=plain test"]),
        ({"Gemfile": "gem 'rspec'\n", "spec/a_spec.rb": ""}, ["bundle exec rspec"]),
        ({"Gemfile": "gem 'rails'\n", "bin/rails": "", "test/a.rb": ""}, ["bin/rails test"]),
        (
            {
                "Gemfile": "gem 'rubocop'\n",
                ".rubocop.yml": "",
                "test/a.rb": "",
                "Rakefile": "Rake::TestTask",
            },
            ["bundle exec rake test", "bundle exec rubocop"],
        ),
        ({"composer.json": '{"scripts": {"test": "phpunit"}}'}, ["composer test"]),
        ({"composer.json": "{}", "phpunit.xml.dist": ""}, ["vendor/bin/phpunit"]),
        (
            {
                "composer.json": '{"require-dev": {"phpstan/phpstan": "^1"}}',
                "phpunit.xml": "",
                "phpstan.neon": "",
            },
            ["vendor/bin/phpunit", "vendor/bin/phpstan analyse --no-progress"],
        ),
        ({"Makefile": "all:\n\ttrue\ntest: all\n\ttrue\n"}, ["make test"]),
        ({"Makefile": "check:\n\ttrue\n"}, ["make check"]),
        ({"Makefile": "test := 3\ntests:\n\ttrue\n"}, []),
        ({"Makefile": "test:\n\ttrue\n", "go.mod": ""}, ["go test ./...", "go vet ./..."]),
    ],
)
def test_other_languages(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert commands(tmp_path, files) == expected


def test_a_mixed_project_gets_all_tests_before_any_linter(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[tool.ruff]\nline-length = 9\n[tool.pytest.ini_options]\nx = 1\n",
        "package.json": scripts(test="jest", lint="eslint ."),
    }
    assert commands(tmp_path, files) == [
        "python3 -m pytest -q",
        "npm test",
        "ruff check .",
        "npm run lint",
    ]


def test_folders_and_broken_files_in_the_place_of_manifests_do_no_harm(tmp_path: Path) -> None:
    for name in ("package.json", "pyproject.toml", "Makefile", "Gemfile"):
        (tmp_path / name).mkdir()
    assert detect(tmp_path) == Detected()
    assert detect(tmp_path / "nowhere") == Detected()


@pytest.mark.parametrize("text", [TEST, UNITTEST])
def test_what_is_detected_really_runs(tmp_path: Path, text: str) -> None:
    lay(tmp_path, {"tests/test_a.py": "import calc\n" + text, "calc.py": "ONE = 1\n"})
    [command] = detect(tmp_path).commands
    assert command[0] == "python3"
    done = subprocess.run(
        [sys.executable, *command[1:]], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_targets_of_a_real_makefile_run(tmp_path: Path) -> None:
    lay(tmp_path, {"Makefile": "test:\n\t@test -f Makefile\n"})
    [command] = detect(tmp_path).commands
    subprocess.run(command, cwd=tmp_path, check=True)
