from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from ralph.domain.task import shell
from ralph.proof.runners.makefile import parse
from ralph.proof.runners.pytest import Pytest
from ralph.proof.runners.recognise import recognise, words

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "runners"),
    [
        ("pytest -q", {"pytest"}),
        ("py.test tests", {"pytest"}),
        (".venv/bin/python -m pytest -q", {"pytest"}),
        ("uv run pytest && ruff check .", {"pytest"}),
        ("cat pytest.ini; pip install pytest-cov", set()),
        ("python -m unittest", {"unittest"}),
        ("python3.12 -B -m unittest discover -s tests -q", {"unittest"}),
        ("python manage.py test shop --parallel", {"unittest"}),
        ("django-admin test", {"unittest"}),
        ("python tests.py", {"unittest"}),
        ("python3 -W error tests/run_tests.py -v", {"unittest"}),
        ("python manage.py migrate; cat tests.py", set()),
        ("python setup.py build", set()),
        ("node --test", {"node"}),
        ("node --import tsx --test 'src/**/*.test.ts'", {"node"}),
        ("node test/all.test.js", {"node"}),
        ("node build.js", set()),
        ("npx jest --ci", {"jest"}),
        ("node_modules/.bin/vitest run", {"vitest"}),
        ("cat jest.config.js", set()),
        ("go test ./...", {"go"}),
        ("go -C server test ./...", {"go"}),
        ("go vet ./...", set()),
        ("cargo +nightly test --workspace", {"cargo"}),
        ("cargo build", set()),
        ("prove -r t", {"tap"}),
        ("./mvnw --batch-mode test", {"maven"}),
        ("gradle test", {"gradle"}),
        ("ruff check .", set()),
        ("mypy --strict", set()),
        ("pytest && node --test && cargo test", {"pytest", "node", "cargo"}),
    ],
)
def test_from_the_words(tmp_path: Path, text: str, runners: set[str]) -> None:
    assert recognise(shell(text), tmp_path).runners == runners
    if "&&" not in text and ";" not in text:
        assert recognise(tuple(shlex.split(text)), tmp_path).runners == runners


@pytest.mark.parametrize(
    ("command", "runners"),
    [
        ("npm test", {"jest"}),
        ("npm t", {"jest"}),
        ("npm --silent test -- --ci", {"jest"}),
        ("yarn unit", {"vitest"}),
        ("pnpm run all", {"jest", "vitest"}),
        ("npm run circle", set()),
        ("npm run missing", set()),
        ("npx run-s lint unit", {"vitest"}),
        ("npm-run-all un*", {"vitest"}),
    ],
)
def test_from_the_scripts_of_a_package(tmp_path: Path, command: str, runners: set[str]) -> None:
    scripts = {
        "test": "jest",
        "unit": "vitest run",
        "all": "npm test && npm run unit",
        "circle": "npm run circle",
    }
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    assert recognise(shell(command), tmp_path).runners == runners


MAKEFILE = """\
PYTHON := .venv/bin/python
TESTER ?= vitest

all: lint
.PHONY: test

test: unit
\t@echo tests
unit:
\t$(PYTHON) -m pytest tests
web: ; cd web && ${TESTER} run
lint:
\truff check .
"""


@pytest.mark.parametrize(
    ("command", "runners"),
    [
        ("make test", {"pytest"}),
        ("make -s unit", {"pytest"}),
        ("make web", {"vitest"}),
        ("make lint", set()),
        ("make", set()),
        ("make -C elsewhere unit", {"pytest"}),
        ("cmake test", set()),
    ],
)
def test_from_the_targets_of_a_makefile(tmp_path: Path, command: str, runners: set[str]) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE)
    assert recognise(shell(command), tmp_path).runners == runners


def test_make_without_a_makefile(tmp_path: Path) -> None:
    assert recognise(("make", "test"), tmp_path).runners == set()


def test_a_makefile_of_circles_ends() -> None:
    made = parse("a: b\n\techo a\nb: a\n\techo b\n")
    assert list(made.behind(["a"])) == ["echo a", "echo b"]


@pytest.mark.parametrize("command", ["./test.sh", "sh scripts/all.sh", "bash scripts/all.sh fast"])
def test_from_a_script_in_the_repository(tmp_path: Path, command: str) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("test.sh", "scripts/all.sh"):
        (tmp_path / name).write_text("#!/bin/sh\nset -e\npytest -q\n")
    assert recognise(shell(command), tmp_path).runners == {"pytest"}


def test_a_script_outside_is_not_looked_at(tmp_path: Path) -> None:
    (tmp_path / "test.sh").write_text("pytest")
    (tmp_path / "repository").mkdir()
    assert recognise(shell("sh ../test.sh"), tmp_path / "repository").runners == set()


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("pytest", False),
        ("PYTHONPATH=src pytest", True),
        ("PYTHONPATH=src:$PYTHONPATH pytest", False),
        ('PYTHONPATH="src:${PYTHONPATH}" pytest', False),
        ("python -I -m pytest", True),
        ("python3.12 -bE -m pytest", True),
        ("python -m pytest -E x", False),
        ("python -W error -m pytest", False),
    ],
)
def test_where_our_plugin_cannot_be_found(tmp_path: Path, text: str, closed: bool) -> None:
    assert recognise(shell(text), tmp_path).closed is closed


def test_a_makefile_that_sets_the_search_path(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("export PYTHONPATH := src\n\ntest:\n\tpytest\n")
    assert recognise(("make", "test"), tmp_path).closed


def test_own_reports_are_noticed(tmp_path: Path) -> None:
    known = recognise(shell("PYTHONPATH=. pytest --junitxml=out/r.xml"), tmp_path)
    assert Pytest().junit(known) == ("out/r.xml",)
    assert Pytest().unloaded(known, {}, tmp_path) == {}
    without = recognise(shell("PYTHONPATH=. pytest -p no:junitxml"), tmp_path)
    assert Pytest().unloaded(without, {}, tmp_path) == {}
    assert Pytest().unloaded(recognise(shell("pytest"), tmp_path), {}, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "node " * 20_000,
        "make " + "-a " * 20_000,
        "npm" + " -x" * 20_000,
        "cargo " + "-q " * 20_000,
        "PYTHONPATH=" + "$" * 60_000,
        "a:" * 30_000,
        " " * 60_000 + ":",
    ],
)
def test_hostile_texts_take_no_time(tmp_path: Path, text: str) -> None:
    # Each of these takes minutes where a pattern goes over the text once for every word of it.
    (tmp_path / "Makefile").write_text(f"{text}\ntest:\n\t{text}\n")
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": text}}))
    recognise(shell(f"make test; npm test; {text}"), tmp_path)


def test_every_word_is_a_tool_that_may_be_run(tmp_path: Path) -> None:
    found = words(shell("npx jest --coverage=false --no-cache && ruff check ."), tmp_path)
    assert {"jest", "ruff"} <= found
    assert "coverage" not in found
