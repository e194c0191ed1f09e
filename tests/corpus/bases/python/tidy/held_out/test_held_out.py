import ast
from pathlib import Path

from ask import said

SOURCE = [path.read_text() for path in sorted(Path("src").rglob("*.py"))]


def test_lines_are_short():
    assert max(len(line) for text in SOURCE for line in text.splitlines()) <= 80


def test_functions_take_few_arguments():
    nodes = [node for text in SOURCE for node in ast.walk(ast.parse(text))]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    for args in (function.args for function in functions):
        assert len(args.args) + len(args.kwonlyargs) + len(args.posonlyargs) <= 3
        assert args.vararg is None
        assert args.kwarg is None


def test_what_worked_before():
    code = """
from label import parcel
print(parcel("Bob", {"street": "High St", "number": 9, "town": "Ayr", "country": "UK"}))
"""
    assert said(code) == "BOB, HIGH ST 9, AYR, UK"
