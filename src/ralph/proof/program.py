"""Whether a change of source is one of the program, or only of what is said about it."""

from __future__ import annotations

import ast

_FOR_TYPES = frozenset(("__future__", "typing", "typing_extensions", "collections.abc"))


def does_the_same(path: str, before: str, after: str) -> bool:
    """Whether a Python file differs in comments, descriptions and types alone."""
    if not path.endswith(".py"):
        return False
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
