"""What kind of file a path names: a test, what runs the tests, source, or words."""

from __future__ import annotations

import posixpath
import re
import sys
from typing import TYPE_CHECKING

from ralph.policy.agent_config import is_agent_config

if TYPE_CHECKING:
    from collections.abc import Collection

_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "e2e", "__snapshots__", "testdata"))
_PERHAPS = frozenset(("testing", "spec", "specs", "baselines", "flows"))
"""Folders of tests, unless they are a part of the program: `lib/spec/openapi.js`."""
_PROGRAM = frozenset(("src", "lib"))
_TEST_NAME = re.compile(
    r"test_[^/]*\.py|[^/]*_tests?\.(?:py|go|rs|c|cc|cpp|exs?|dart|php|clj)|tests?\.(?:py|[cm]?[jt]sx?|rs)"
    r"|[^/]*[._-](?:test|spec)s?\.[cm]?[jt]sx?|[^/]*(?:Test|Tests|Spec|IT)\.(?:java|kt|scala|cs|swift|php)"
    r"|test-[^/]*\.[cm]?[jt]s|[^/]*_(?:spec|test)\.rb|[^/]*\.(?:snap|approved\.txt|golden)|[^/]*\.bats|[^/]*\.t"
)
_RUNNER_NAMES = frozenset(
    (
        *("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml"),
        *("noxfile.py", "setup.py", "sitecustomize.py", "usercustomize.py", ".coveragerc"),
        *("makefile", "gnumakefile", "justfile", "taskfile.yml", "taskfile.yaml", "rakefile"),
        *("package.json", "tsconfig.json", ".npmrc", ".yarnrc.yml", "deno.json", "bunfig.toml"),
        *("cargo.toml", "build.rs", "go.mod", "go.work", "pom.xml", "build.gradle"),
        *("build.gradle.kts", "phpunit.xml", "cmakelists.txt", "ctesttestfile.cmake", "mix.exs"),
        *("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", ".flake8", ".pylintrc"),
        *(".pre-commit-config.yaml", "pyrightconfig.json", ".env", ".envrc", "__main__.pth"),
        *(".golangci.yml", ".golangci.yaml", "clippy.toml", ".rspec", "biome.json"),
    )
)
_RUNNER_PATTERN = re.compile(
    r".*\.pth|\.env\..*|tsconfig\..*\.json|\.?(?:jest|vitest|vite|mocha|karma|ava|playwright|cypress"
    r"|babel|eslint|wdio|webpack|rollup|stylelint|prettier)(?:rc|[._-]config|\.conf|\.setup|\.workspace)?"
    r"(?:\.[cm]?[jt]sx?|\.json|\.ya?ml|\.toml)?|(?:jest|vitest|test)[.-]?setup\.[cm]?[jt]s"
    r"|setup[-_]?tests?\.[cm]?[jt]sx?|requirements.*\.txt|constraints.*\.txt",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"[^/]*\.(?:json5?|ya?ml|toml|ini|cfg|conf|properties)|\.[^/]*rc", re.IGNORECASE
)
"""At the top of a repository: most likely a tool reads them."""
_DECLARING = (".toml", ".cfg", ".ini", ".json", ".json5", ".yml", ".yaml", "rc")
_CI = re.compile(
    r"\.github/workflows/.*|\.gitlab-ci\.yml|\.circleci/.*|azure-pipelines\.yml|jenkinsfile"
    r"|\.travis\.yml|\.drone\.yml|\.buildkite/.*",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r".*\.(?:md[cx]?|markdown|rst|txt|adoc|asciidoc|org|tex|po|png|jpe?g|gif|webp|svg|ico|pdf|license)|(?:.*/)?(?:licen[cs]e|changelog|authors"
    r"|readme|notice|copying|codeowners)[^/]*|docs?/.*|\.gitignore|\.gitattributes|\.editorconfig",
    re.IGNORECASE,
)
CODE = (
    *(".py", ".pyx", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs"),
    *(".c", ".h", ".cc", ".cpp", ".hpp", ".java", ".kt", ".rb", ".php", ".swift", ".cs", ".scala"),
)
_SCRIPTS = (".sh", ".bash", ".bats", ".t", ".ps1", ".exs", ".clj", ".dart", ".vue", ".svelte")
_EXAMPLES = frozenset(("example", "examples", "demo", "demos", "doc", "docs", "website"))
_TESTING_MODULES = frozenset(
    ("pytest", "_pytest", "pluggy", "hypothesis", "nose", "coverage", "mock", "xdist", "iniconfig")
)
_IMPORT_ROOTS = frozenset(("", "src", "lib", "test", "tests"))
_CHECKING = re.compile(r"(?:^|[^a-z])(?:ci|check|lint|tests?|validate|verify)(?:[^a-z]|$)")


_DEPENDENCIES = re.compile(
    r"package(?:-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock"
    r"|poetry\.lock|uv\.lock|pdm\.lock|pipfile(?:\.lock)?|pyproject\.toml|(?:requirements|constraints).*\.txt"
    r"|cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.lock"
    r"|pom\.xml|build\.gradle(?:\.kts)?|gradle\.lockfile|packages\.lock\.json|\.gitmodules",
    re.IGNORECASE,
)


def is_test(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    folders = folder.lower().split("/")
    if _TEST_NAME.fullmatch(name) or not _TEST_FOLDERS.isdisjoint(folders):
        return True
    within = next((n for n, folder in enumerate(folders) if folder in _PROGRAM), len(folders))
    return not _PERHAPS.isdisjoint(folders[:within])


def is_runner(path: str) -> bool:
    """Whether it starts, configures or extends what runs the checks."""
    folder, _, name = path.rpartition("/")
    if not folder and _SETTINGS.fullmatch(name):
        return True
    return name.lower() in _RUNNER_NAMES or bool(_RUNNER_PATTERN.fullmatch(name))


def is_read_in_every_run(path: str) -> bool:
    """Whether it holds settings of a tool, and says nothing of how commands are started."""
    name = path.rpartition("/")[2]
    return name.endswith(_DECLARING) and not name.startswith((".npm", ".yarn", ".pnpm", ".env"))


def is_ci(path: str) -> bool:
    return bool(_CI.fullmatch(path))


def sort_of(path: str) -> str:
    """In a word what a person who reviews a change should know of the file."""
    sorts = {
        "ci": is_ci(path),
        "dependencies": bool(_DEPENDENCIES.fullmatch(path.rpartition("/")[2])),
        "test": is_test(path),
        "settings": is_runner(path) or is_agent_config(path),
        "words": is_words(path),
    }
    return next((sort for sort, fits in sorts.items() if fits), "source")


def shadows(path: str, *, known: bool = False) -> bool:
    """Whether it would be imported in the place of a module that tests rely on.

    `known`: it was there before. Then it takes the place of nothing, unless it is somebody else's.
    """
    parts = path.split("/")
    if "node_modules" in parts or "site-packages" in parts:
        return True
    if known or not path.endswith(".py"):
        return False
    *folders, name = path.removesuffix("/__init__.py").removesuffix(".py").split("/")
    known = name in _TESTING_MODULES or name in sys.stdlib_module_names
    return known and name != "__init__" and "/".join(folders) in _IMPORT_ROOTS


def serves_data(path: str, tests: Collection[str]) -> bool:
    """Whether modules in this folder are found by nothing but data of tests.

    A module in `a/node_modules` is found from below `a`. If that is test data, and none of the
    `tests` that were run is there, it takes the place of nothing that tests rely on.
    """
    user, found, _ = path.partition("/node_modules/")
    return (
        bool(found and tests)
        and is_test(f"{user}/data")
        and not any(one.startswith(f"{user}/") for one in tests)
    )


def snapshot_of(path: str) -> str:
    """The file of tests that keeps what it expects there; empty if it is no snapshot."""
    folder, found, name = path.rpartition("__snapshots__/")
    return f"{folder}{name.removesuffix('.snap')}" if found and name.endswith(".snap") else ""


def is_test_data(path: str) -> bool:
    """Whether it is read by tests, and runs nothing itself."""
    return is_test(path) and not is_runner(path) and not path.endswith((*CODE, *_SCRIPTS))


def is_example(path: str) -> bool:
    """Whether it is a program that is there to be read, such as those beside a manual."""
    return not _EXAMPLES.isdisjoint(path.lower().split("/")[:-1])


def is_words(path: str) -> bool:
    """Documentation and the like: nothing that runs."""
    return bool(_WORDS.fullmatch(path)) and not is_test(path) and not is_runner(path)


def leads_out(path: str, target: str) -> bool:
    """Whether a link at this path leads out of the repository."""
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return target.startswith("/") or joined == ".." or joined.startswith("../")


def is_plan(path: str) -> bool:
    """Whether tasks are written down there, where the plan has its usual name."""
    return path.lower() == "prd.json" or path.startswith((".ralph/", ".artefacts/"))


def is_source(path: str) -> bool:
    return not (is_words(path) or is_test(path) or is_runner(path) or is_ci(path))


def is_check(path: str, commands: tuple[tuple[str, ...], ...]) -> bool:
    """Whether a check's command names this file, and it is there to check."""
    name = path.rpartition("/")[2].lower()
    if not name.endswith((".sh", ".bash")) and not _CHECKING.search(name):
        return False
    return any(
        re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", word.removeprefix("./"))
        for command in commands
        for word in command
    )


def guards_tests(
    path: str, commands: tuple[tuple[str, ...], ...] = (), *, known: bool = False
) -> bool:
    """Whether the base's version of it is put back for the overlay.

    `known`: the base has it. What was there before takes the place of nothing.
    """
    shadow = shadows(path, known=known)
    return is_test(path) or is_runner(path) or shadow or is_check(path, commands)
