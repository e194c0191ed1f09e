"""A check for some files alone, or not at all where that could mean something else."""

from __future__ import annotations

import pytest

from ralph.domain.task import shell, shown
from ralph.domain.tests import SEPARATOR
from ralph.proof.runners.narrow import is_plain, narrowed
from ralph.proof.runners.words import Around

FILES = ["tests/test_a.py", "web/b.test.js"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pytest", "pytest tests/test_a.py"),
        ("pytest -q tests", "pytest tests/test_a.py -q"),
        ("pytest tests/unit tests/edges -x", "pytest tests/test_a.py"),
        ("python3 -m pytest -k 'a or b'", "python3 -m pytest tests/test_a.py -k 'a or b'"),
        (".venv/bin/python -B -m pytest", ".venv/bin/python -B -m pytest tests/test_a.py"),
        ("pytest -p no:cacheprovider -n 2", "pytest tests/test_a.py -p no:cacheprovider -n 2"),
        ("pytest --cov=app -m 'not slow'", "pytest tests/test_a.py -m 'not slow' --no-cov"),
        ("uv run pytest", "uv run pytest tests/test_a.py"),
        ("poetry run python -m pytest", "poetry run python -m pytest tests/test_a.py"),
        ("node --test", "node --test web/b.test.js"),
        ("node --test web/", "node --test web/b.test.js"),
        ("node --test --import x", "node --test --import x web/b.test.js"),
        ("pytest *", "pytest tests/test_a.py"),
        ("PYTHONPATH=. pytest", "PYTHONPATH=. pytest tests/test_a.py"),
        ("pytest -q --doctest-modules app tests", "pytest tests/test_a.py -q --doctest-modules"),
        ("python3 -m unittest discover", "python3 -m unittest discover -k '*test_a.*'"),
        ("python -m unittest -q", "python -m unittest -q tests/test_a.py"),
        ("npx mocha --reporter dot 'test/**/*.js'", "npx mocha --reporter dot web/b.test.js"),
        ("npx jest --ci", "npx jest --ci --runTestsByPath web/b.test.js"),
        ("jest --env node", "jest --env node --runTestsByPath web/b.test.js"),
        ("pytest --cov-report term", "pytest tests/test_a.py --cov-report term"),
        ("npx vitest run", "npx vitest run web/b.test.js"),
        ("vitest run --environment jsdom", "vitest run --environment jsdom web/b.test.js"),
        ("nyc tape 'test/**/*.js'", "nyc --silent --instrument=false tape web/b.test.js"),
        ("npx tap run tests/**/*.js --timeout=60", "npx tap run --timeout=60 web/b.test.js"),
        ("tap --disable-coverage", "tap --disable-coverage web/b.test.js"),
        ("ava", "ava web/b.test.js"),
        ("node --import tsx --test", "node --import tsx --test web/b.test.js"),
        ("tsx --test web/*.js", "tsx --test web/b.test.js"),
        (
            "nyc --reporter text mocha",
            "nyc --reporter text --silent --instrument=false mocha web/b.test.js",
        ),
        ("nyc mocha && nyc report -r lcov", "nyc --silent --instrument=false mocha web/b.test.js"),
        ("c8 -r lcov node --test", "node --test web/b.test.js"),
        (
            "node --no-warnings node_modules/jest/bin/jest.js",
            "node --no-warnings node_modules/jest/bin/jest.js --runTestsByPath web/b.test.js",
        ),
        ("node node_modules/.bin/mocha", "node node_modules/.bin/mocha web/b.test.js"),
        ("eslint . && mocha", "mocha web/b.test.js"),
        ("tsc -p . && mocha", "tsc -p . && mocha web/b.test.js"),
        ("NODE_ENV=test mocha test/", "NODE_ENV=test mocha web/b.test.js"),
        ("A='x y' mocha", "A='x y' mocha web/b.test.js"),
        ('PATH="$PWD/bin:$PATH" mocha', 'PATH="$PWD/bin:$PATH" mocha web/b.test.js'),
        ("coverage run -m pytest -q", "coverage run '--omit=*' -m pytest tests/test_a.py -q"),
        (
            "coverage erase && coverage run -m pytest && python -m coverage report --fail-under=90",
            "coverage run '--omit=*' -m pytest tests/test_a.py",
        ),
        ("npx c8 check-coverage && c8 mocha", "mocha web/b.test.js"),
        ("node --test --experimental-test-coverage", "node --test web/b.test.js"),
        ("vitest run --coverage", "vitest run web/b.test.js"),
        ("jest --coverage", "jest --coverage=false --runTestsByPath web/b.test.js"),
        (
            "python -m coverage run --source app --branch -m unittest",
            "python -m coverage run --source app --branch '--omit=*' -m unittest tests/test_a.py",
        ),
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
        "python3 -m unittest discover -k a",
        "python3 run.py -m pytest",
        "pytest || true",
        "pytest; true",
        "pytest $ARGS",
        "A=$(date) pytest",
        "coverage run manage.py test",
        "coverage report",
        "pytest -q tests & pytest",
        "pytest --cov tests",
        "pytest --ignore tests/test_b.py",
        "pytest -- tests",
        "node test.js",
        "node node_modules/some/index.js",
        "mocha --spec a.js",
        "pytest 'unfinished",
        "echo pytest",
        "",
    ],
)
def test_anything_else_stays_whole(typed: str) -> None:
    assert narrowed(shell(typed), FILES) is None


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pytest -q", "pytest tests/test_a.py::Some::test_it -q"),
        ("python -m unittest", "python -m unittest tests.test_a.Some.test_it"),
        (
            "python -m unittest discover -s tests",
            "python -m unittest discover -s tests -k '*test_a.Some.test_it'",
        ),
        ("npx mocha", None),
    ],
)
def test_a_single_test_can_be_named(typed: str, expected: str | None) -> None:
    made = narrowed(shell(typed), ["tests/test_a.py::Some::test_it"])
    assert (made and shown(made)) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("mocha", r"mocha '--grep=some adds \(1\)|some \$1' a.test.js"),
        ("jest", r"jest '--testNamePattern=some adds \(1\)|some \$1' --runTestsByPath a.test.js"),
        ("vitest run", r"vitest run '--testNamePattern=some adds \(1\)|some \$1' a.test.js"),
        ("node --test", r"node --test '--test-name-pattern=adds \(1\)|\$1' a.test.js"),
        ("mocha -g other", None),
        ("jest --testNamePattern=other", None),
        ("ava", f"ava '--match=some{SEPARATOR}adds (1)' '--match=some{SEPARATOR}$1' a.test.js"),
        ("ava -m other", None),
        ("tape", None),
    ],
)
def test_a_test_in_javascript_is_named_by_its_titles(typed: str, expected: str | None) -> None:
    made = narrowed(
        shell(typed), [f"a.test.js::some{SEPARATOR}{one}" for one in ("adds (1)", "$1")]
    )
    assert (made and shown(made)) == expected


@pytest.mark.parametrize(
    ("typed", "files", "names"),
    [
        ("go test ./...", "go test ./cart .", "go test '-run=^(TestA|TestB)$' ./cart"),
        ("go test -v -race", "go test -v -race ./cart .", None),
        (
            "go vet ./... && go test -count 1 ./...",
            "go vet ./... && go test -count 1 ./cart .",
            "go vet ./... && go test -count 1 '-run=^(TestA|TestB)$' ./cart",
        ),
        ("go test -failfast ./...", "go test ./cart .", None),
        ("go test -run Fast ./...", "go test -run Fast ./cart .", ""),
        ("go test ./... -args -x", "", ""),
        ("go -C server test ./...", "", ""),
        ("cd server && go test ./...", "", ""),
        ("go build ./...", "", ""),
    ],
)
def test_go_takes_packages_and_names(typed: str, files: str, names: str | None) -> None:
    made = narrowed(shell(typed), ["cart/a_test.go", "cart/b_test.go", "c_test.go", "d.py"])
    assert (shown(made) if made else "") == files
    tests = [f"cart/a_test.go::m/cart{SEPARATOR}TestA/zero", "cart/b_test.go::TestB"]
    made = narrowed(shell(typed), tests)
    if names is not None:
        assert (shown(made) if made else "") == names


def test_in_another_folder_files_have_other_names() -> None:
    assert narrowed(shell("cd web && npx jest"), FILES) is None


def test_the_script_behind_a_word_is_read() -> None:
    scripts = {
        "test": "npm run lint && npm run unit",
        "lint": "eslint .",
        "unit": "cross-env CI=1 mocha --recursive test",
        "pretest": "npm run build",
        "build": "tsc",
    }
    made = narrowed(("npm", "test"), FILES, Around(scripts))
    assert made is None, "more than one command cannot be a list of words"
    made = narrowed(shell("npm test"), FILES, Around(scripts))
    assert made is not None
    assert shown(made) == "npm run build && cross-env CI=1 mocha --recursive web/b.test.js"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("npm test -- --bail", "mocha web/b.test.js"),
        ("npm test --workspaces", None),
        ("nyc npm test", "nyc --silent --instrument=false mocha web/b.test.js"),
        ("run-s build test:*", "npm run build && ava web/b.test.js"),
        ("npm-run-all --silent lint test:unit", "ava web/b.test.js"),
        ("run-s missing test:unit", None),
    ],
)
def test_scripts_with_words_before_and_after_them(typed: str, expected: str | None) -> None:
    scripts = {
        "test": "mocha",
        "build": "tsc",
        "lint": "eslint .",
        "test:unit": "ava",
        "test:types": "tsd",
    }
    made = narrowed(shell(typed), FILES, Around(scripts))
    assert (made and shown(made)) == expected


def test_a_script_of_one_runner_is_that_runner() -> None:
    assert narrowed(("npm", "test"), FILES, Around({"test": "mocha"})) == ("mocha", "web/b.test.js")


def test_what_is_there_is_a_file_and_no_value() -> None:
    around = Around(is_path=lambda word: word == "tests")
    made = narrowed(shell("pytest --cov tests"), FILES, around)
    assert made is not None
    assert shown(made) == "pytest tests/test_a.py --no-cov"


@pytest.mark.parametrize(
    ("typed", "name", "text", "asked"),
    [
        ("pytest", "pyproject.toml", '[tool.pytest.ini_options]\naddopts = ["--cov=app"]\n', True),
        ("pytest", "pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-q --cov"\n', True),
        ("pytest", "pyproject.toml", "[tool.pytest\n", False),
        ("pytest", "setup.cfg", "[tool:pytest]\naddopts =\n  -q\n  --cov=app\n", True),
        ("pytest", "tox.ini", "[testenv]\ncommands = pytest --cov=app\n", False),
        ("jest", "package.json", '{"jest": {"collectCoverage": true}}', True),
        ("jest", "jest.config.js", "module.exports = {verbose: true};\n", False),
    ],
)
def test_coverage_that_settings_ask_for(typed: str, name: str, text: str, *, asked: bool) -> None:
    around = Around(text=lambda path: text if path == name else "")
    made = narrowed(shell(typed), FILES, around)
    assert made is not None
    assert ("--no-cov" in shown(made) or "--coverage=false" in shown(made)) is asked


def test_a_list_of_words_stays_one() -> None:
    assert narrowed(("pytest", "-q"), FILES) == ("pytest", "tests/test_a.py", "-q")


def test_without_a_file_for_the_runner_it_stays_whole() -> None:
    assert narrowed(("pytest",), ["b.test.js"]) is None
    assert narrowed(("pytest",), []) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_a.py", True),
        ("app/views_test.py", True),
        ("cart/count_test.go", True),
        ("cart/count.go", False),
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


def test_files_in_which_pytest_found_tests_can_be_named_to_it() -> None:
    """Its plugins find tests in data; nobody else does."""
    around = Around(holds_tests=lambda path: path.endswith(".vim"))
    for command in (("pytest", "-q"), ("python", "-m", "pytest", "-q")):
        made = narrowed(command, ["tests/a.vim::", "tests/b.vim::one", "tests/c.txt"], around)
        assert made == (*command[:-1], "tests/a.vim", "tests/b.vim::one", "-q")
    assert narrowed(("python", "-m", "unittest"), ["tests/a.vim"], around) is None
