from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from statistics import quantiles

import ralph

PACKAGE = Path(ralph.__file__).parent
ROOT = PACKAGE.parents[1]
FILES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
TREES = {name: ast.parse(text) for name, text in FILES.items()}
LENGTHS = {name: len(text.splitlines()) for name, text in FILES.items()}

MOST_LINES = 400
USUAL_LINES = 250
USUAL_FUNCTION = 30
DEEPEST = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match)
"""What branches or repeats."""


def functions(tree: ast.Module) -> list[Function]:
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


def test_no_file_is_long() -> None:
    assert {name: length for name, length in LENGTHS.items() if length > MOST_LINES} == {}


def test_most_files_are_short() -> None:
    assert sum(length <= USUAL_LINES for length in LENGTHS.values()) >= 0.9 * len(LENGTHS)


def test_functions_fit_a_screen() -> None:
    sizes = [lines(function) for tree in TREES.values() for function in functions(tree)]
    assert quantiles(sizes, n=10)[8] <= USUAL_FUNCTION


def test_nothing_is_nested_deeply() -> None:
    every = ((name, function) for name, tree in TREES.items() for function in functions(tree))
    assert [f"{name}: {one.name}" for name, one in every if depth(one) > DEEPEST] == []


def test_nothing_is_printed_past_the_interface() -> None:
    assert [name for name, tree in TREES.items() if any(map(_prints, ast.walk(tree)))] == []


def _prints(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "print"


def test_no_error_is_swallowed_whole() -> None:
    found = [name for name, tree in TREES.items() for node in ast.walk(tree) if _is_broad(node)]
    assert found == ["ui/cli/main.py"]


def _is_broad(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or (isinstance(node.type, ast.Name) and node.type.id == "Exception")


def test_a_class_name_means_one_thing() -> None:
    places: dict[str, list[str]] = {}
    for name, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_imports_point_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_step_reads_like_the_sentence() -> None:
    [step] = [
        node for node in ast.walk(TREES["loop/step.py"]) if isinstance(node, ast.AsyncFunctionDef)
    ]
    calls = [
        (node.lineno, node.col_offset, node.func.id)
        for node in ast.walk(step)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    words = list(dict.fromkeys(name for _, _, name in sorted(calls)))
    sentence = ["select", "compose", "run_agent", "read", "verify", "settle", "record", "decide"]
    assert "read_plan" in words[:2]
    assert [word for word in words if word in sentence if word != "decide"] == sentence[:-1]
    assert words.count("decide") == 1


def test_importing_the_package_does_no_work() -> None:
    code = "import sys, ralph; print(sum(name.startswith('ralph') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"
