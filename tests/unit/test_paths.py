"""What kind of file a path names."""

from __future__ import annotations

import pytest

from ralph.proof.paths import (
    guards_tests,
    is_check,
    is_ci,
    is_example,
    is_read_in_every_run,
    is_runner,
    is_source,
    is_test,
    is_test_data,
    is_words,
    serves_data,
    shadows,
    snapshot_of,
)

TESTS = (
    "tests/test_app.py",
    "test_app.py",
    "app_test.py",
    "pkg/app_test.go",
    "src/app.test.js",
    "src/app.spec.tsx",
    "src/__tests__/app.js",
    "tests/data/golden.json",
    "spec/app_spec.rb",
    "packages/a/spec/app.js",
    "testing/fakes.py",
    "lib/spec/openapi.test.js",
    "src/test/java/AppTest.java",
    "test.js",
)
RUNNERS = (
    "conftest.py",
    "tests/conftest.py",
    "pytest.ini",
    "pyproject.toml",
    "package.json",
    "packages/a/package.json",
    "jest.config.js",
    "vitest.config.mts",
    "Makefile",
    "sitecustomize.py",
    "x.pth",
    ".eslintrc.json",
    "eslint.config.mjs",
    "Cargo.toml",
    "requirements-dev.txt",
    ".env",
)
SOURCES = (
    "app.py",
    "src/app.js",
    "lib/testimony.py",
    "lib/spec/openapi/utils.js",
    "src/pkg/testing/fakes.py",
    "src/contest.py",
    "cmd/main.go",
    "index.html",
)
WORDS = (
    "website/guide.mdx",
    ".cursor/rules/style.mdc",
    "README.md",
    "docs/guide.rst",
    "LICENSE",
    "CHANGELOG",
    "logo.png",
)


@pytest.mark.parametrize("path", TESTS)
def test_tests(path: str) -> None:
    assert is_test(path)
    assert guards_tests(path)
    assert not is_source(path)


@pytest.mark.parametrize("path", RUNNERS)
def test_what_runs_them(path: str) -> None:
    assert is_runner(path)
    assert guards_tests(path)
    assert not is_source(path)


@pytest.mark.parametrize("path", SOURCES)
def test_sources(path: str) -> None:
    assert is_source(path)
    assert not guards_tests(path)


@pytest.mark.parametrize("path", WORDS)
def test_words(path: str) -> None:
    assert is_words(path)
    assert not is_source(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pytest.py", True),
        ("pytest/__init__.py", True),
        ("json.py", True),
        ("src/unittest.py", True),
        ("tests/math.py", True),
        ("app/json.py", False),
        ("app/__init__.py", False),
        ("__init__.py", False),
        ("node_modules/assert/index.js", True),
        ("src/json.js", False),
    ],
)
def test_files_in_the_place_of_a_library(path: str, expected: bool) -> None:
    assert shadows(path) is expected


def test_a_script_that_the_check_runs_is_part_of_the_check() -> None:
    commands = (("sh", "scripts/check.sh"), ("/bin/sh", "-c", "./ci/verify && node app.js"))
    assert is_check("scripts/check.sh", commands)
    assert is_check("ci/verify", commands)
    assert not is_check("app.js", commands)
    assert not is_check("scripts/other.sh", commands)


def test_continuous_integration() -> None:
    assert is_ci(".github/workflows/ci.yml")
    assert not is_ci("src/workflows/ci.yml")


@pytest.mark.parametrize(
    ("path", "tests", "expected"),
    [
        ("tests/data/app/node_modules/left-pad/index.js", ("tests/app.test.js",), True),
        ("tests/data/app/node_modules/left-pad/index.js", ("tests/data/app/a.test.js",), False),
        ("tests/data/app/node_modules/left-pad/index.js", (), False),
        ("tests/node_modules/assert/index.js", ("tests/app.test.js",), False),
        ("src/node_modules/assert/index.js", ("tests/app.test.js",), False),
        ("node_modules/assert/index.js", ("tests/app.test.js",), False),
        ("tests/data/json.py", ("tests/test_app.py",), False),
    ],
)
def test_packages_that_only_test_data_can_find(
    path: str, tests: tuple[str, ...], expected: bool
) -> None:
    assert serves_data(path, tests) is expected


def test_programs_that_are_there_to_be_read() -> None:
    assert is_example("examples/server.py")
    assert is_example("website/lib/page.ts")
    assert not is_example("src/example.py")
    assert not is_example("app.py")


def test_a_snapshot_belongs_to_its_tests() -> None:
    assert snapshot_of("src/__tests__/__snapshots__/a-test.js.snap") == "src/__tests__/a-test.js"
    assert snapshot_of("__snapshots__/a.test.ts.snap") == "a.test.ts"
    assert not snapshot_of("src/a-test.js")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("test/plugins/a.01.svg.txt", True),
        ("tests/data/golden.json", True),
        ("tests/helper.py", False),
        ("tests/run.sh", False),
        ("tests/pytest.ini", False),
        ("src/data.json", False),
    ],
)
def test_data_that_only_tests_read(path: str, expected: bool) -> None:
    assert is_test_data(path) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pyproject.toml", True),
        ("tests/pytest.ini", True),
        (".c8rc.json", True),
        (".mocharc", True),
        ("conftest.py", False),
        ("jest.config.js", False),
        ("Makefile", False),
        ("run_tests.sh", False),
        (".npmrc", False),
        (".yarnrc.yml", False),
        (".env.json", False),
        ("x.pth", False),
    ],
)
def test_settings_that_every_run_reads(path: str, expected: bool) -> None:
    assert is_read_in_every_run(path) is expected
