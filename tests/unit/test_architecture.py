from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from statistics import quantiles

import pytest

import ralph

PACKAGE = Path(ralph.__file__).parent
ROOT = PACKAGE.parents[1]
FILES = sorted(PACKAGE.rglob("*.py"))
NAMES = [str(path.relative_to(PACKAGE)) for path in FILES]

MOST_LINES = 400
USUAL_LINES = 250
USUAL_FUNCTION = 30
DEEPEST = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)
"""What branches or repeats."""


def functions(path: Path) -> list[Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def lines(function: Function) -> int:
    return (function.end_lineno or 0) - function.lineno + 1


def depth(node: ast.AST) -> int:
    below = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            continue
        chained = isinstance(node, ast.If) and child in node.orelse and isinstance(child, ast.If)
        below = max(below, depth(child) + (isinstance(child, BLOCKS) and not chained))
    return below


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_file_is_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_most_files_are_short() -> None:
    sizes = [len(path.read_text(encoding="utf-8").splitlines()) for path in FILES]
    assert sum(size <= USUAL_LINES for size in sizes) >= 0.9 * len(sizes)


def test_functions_fit_a_screen() -> None:
    sizes = [lines(function) for path in FILES for function in functions(path)]
    assert quantiles(sizes, n=10)[8] <= USUAL_FUNCTION


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_is_nested_deeply(path: Path) -> None:
    deep = {f.name: depth(f) for f in functions(path) if depth(f) > DEEPEST}
    assert deep == {}


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_nothing_is_printed_past_the_interface(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert not any(isinstance(call, ast.Name) and call.id == "print" for call in calls)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_no_error_is_swallowed_whole(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    caught = [node.type for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    broad = [t for t in caught if t is None or (isinstance(t, ast.Name) and t.id == "Exception")]
    allowed = 1 if path.relative_to(PACKAGE).as_posix() == "ui/cli/main.py" else 0
    assert len(broad) <= allowed


def test_imports_point_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_step_reads_like_the_sentence() -> None:
    tree = ast.parse((PACKAGE / "loop" / "step.py").read_text(encoding="utf-8"))
    [step] = [node for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)]
    calls = [
        (node.lineno, node.col_offset, node.func.id)
        for node in ast.walk(step)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    words = list(dict.fromkeys(name for _, _, name in sorted(calls)))
    sentence = ["select", "compose", "run", "read", "verify", "settle", "record", "decide"]
    assert "read_plan" in words[:2]
    assert [word for word in words if word in sentence if word != "decide"] == sentence[:-1]
    assert words.count("decide") == 1


def test_importing_the_package_does_no_work() -> None:
    code = "import sys, ralph; print(sum(name.startswith('ralph') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
