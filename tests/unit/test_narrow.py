"""A check for some files alone, or not at all where that could mean something else."""

from __future__ import annotations

import pytest

from ralph.checks.narrow import is_plain, narrowed
from ralph.domain.task import shell, shown

FILES = ["tests/test_a.py", "web/b.test.js"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pytest", "pytest tests/test_a.py"),
        ("pytest -q tests", "pytest -q tests/test_a.py"),
        ("pytest tests/unit tests/edges -x", "pytest -x tests/test_a.py"),
        ("python3 -m pytest -k 'a or b'", "python3 -m pytest -k 'a or b' tests/test_a.py"),
        (".venv/bin/python -B -m pytest", ".venv/bin/python -B -m pytest tests/test_a.py"),
        ("pytest -p no:cacheprovider -n 2", "pytest -p no:cacheprovider -n 2 tests/test_a.py"),
        ("pytest --cov=app -m 'not slow'", "pytest --cov=app -m 'not slow' tests/test_a.py"),
        ("uv run pytest", "uv run pytest tests/test_a.py"),
        ("poetry run python -m pytest", "poetry run python -m pytest tests/test_a.py"),
        ("node --test", "node --test web/b.test.js"),
        ("node --test web/", "node --test web/b.test.js"),
    ],
)
def test_runners_that_take_files(typed: str, expected: str) -> None:
    made = narrowed(shell(typed), FILES)
    assert made is not None
    assert shown(made) == expected


@pytest.mark.parametrize(
    "typed",
    [
        "make test",
        "npm test",
        "python3 -m unittest discover",
        "python3 run.py -m pytest",
        "pytest || true",
        "pytest; true",
        "PYTHONPATH=. pytest",
        "pytest $ARGS",
        "pytest *",
        "pytest --cov tests",
        "pytest --deselect tests/test_b.py",
        "pytest -- tests",
        "node --import x --test",
        "node --test --import x",
        "node test.js",
        "pytest 'unfinished",
        "echo pytest",
        "",
    ],
)
def test_anything_else_stays_whole(typed: str) -> None:
    assert narrowed(shell(typed), FILES) is None


def test_a_list_of_words_stays_one() -> None:
    assert narrowed(("pytest", "-q"), FILES) == ("pytest", "-q", "tests/test_a.py")


def test_without_a_file_for_the_runner_it_stays_whole() -> None:
    assert narrowed(("pytest",), ["b.test.js"]) is None
    assert narrowed(("pytest",), []) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("app/views_test.py", True),
        ("web/b.test.js", True),
        ("test/test-c.mjs", True),
        ("tests/conftest.py", False),
        ("tests/helper.py", False),
        ("tests/data/test_a.json", False),
        ("package.json", False),
        ("web/__snapshots__/b.test.js.snap", False),
    ],
)
def test_files_of_tests_and_nothing_else(path: str, expected: bool) -> None:
    assert is_plain(path) is expected
