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

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._undescribed(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._undescribed(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self._undescribed(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self._undescribed(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module in _FOR_TYPES else node

    def _undescribed(
        self, node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> ast.AST:
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        return self.generic_visit(node)
