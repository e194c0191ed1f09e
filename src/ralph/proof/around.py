"""The functions and classes of a file that certain lines are in."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_BEGINS = re.compile(
    r"^[ \t]*(?:export\s+|default\s+|async\s+|static\s+|public\s+|private\s+)*"
    r"(?:function\*?|class|interface|type|enum|func|fn|def|const|let|var|struct|impl)\s+([A-Za-z_$][\w$]*)"
)


def around(path: str, text: str, lines: Collection[int]) -> tuple[str, ...]:
    """By the syntax tree where there is one, else the nearest beginning above a line."""
    if not lines:
        return ()
    try:
        found = _in_tree(ast.parse(text), lines) if path.endswith(".py") else _above(text, lines)
        return tuple(dict.fromkeys(found))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _in_tree(tree: ast.Module, lines: Collection[int]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if any(first <= line <= (node.end_lineno or first) for line in lines):
                yield node.name


def _above(text: str, lines: Collection[int]) -> Iterator[str]:
    every = text.split("\n")
    for line in sorted(lines):
        yield from _beginnings(every[:line])


def _beginnings(lines: list[str]) -> Iterator[str]:
    """From the last line upwards, to the first that is not inside of anything."""
    for one in reversed(lines):
        found = _BEGINS.match(one)
        if found:
            yield found[1]
        if found and not one[:1].isspace():
            return
