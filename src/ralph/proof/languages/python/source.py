"""Source in Python: what a change of it touches, and whether it does anything."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

_FOR_TYPES = frozenset(("__future__", "typing", "typing_extensions", "collections.abc"))


def around(text: str, lines: Collection[int]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(_in_tree(ast.parse(text), lines)))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _in_tree(tree: ast.Module, lines: Collection[int]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if any(first <= line <= (node.end_lineno or first) for line in lines):
                yield node.name


def is_loose(before: str, after: str, used: Callable[[str], bool]) -> bool:
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError, RecursionError):
        return False
    was = [ast.dump(one) for one in old.body]
    more = [one for one in new.body if ast.dump(one) not in was]
    kept = [one for one in new.body if one not in more]
    if len(kept) < len(was) or not more:
        return False  # something was taken away, or is otherwise now, or stands elsewhere
    names = {name for one in more for name in _names(one)}
    inside = {one.id for node in kept for one in ast.walk(node) if isinstance(one, ast.Name)}
    return not names & inside and not any(map(used, names))


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return [name]
        case ast.Assign(targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
    return []


def does_the_same(before: str, after: str) -> bool:
    try:
        return _meaning(before) == _meaning(after)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _meaning(text: str) -> str:
    return ast.dump(_Plain().visit(ast.parse(text)))


class _Plain(ast.NodeTransformer):
    """Takes away what does nothing when the program is run."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in _FOR_TYPES else node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A text that stands by itself describes what is around it."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)
