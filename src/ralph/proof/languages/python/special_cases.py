"""Python in which a function is what it was, but for answers to its tests' own questions in front.

An equality with a literal that the tests hold, guarding a constant answer that they hold too: that
is no mending of the code behind it, which is still what it was.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ORDINARY = frozenset(map(repr, (None, True, False, 0, 1, -1, "", b"", 0.0, 1.0)))
"""Where a rule begins or ends: honest work asks for these."""
_EMPTY = (ast.List, ast.Tuple, ast.Set, ast.Dict)


def answered(before: str, after: str, tests: str, task: str) -> tuple[str, ...]:
    """Conditions that were put in front of unchanged code, each with its answer."""
    try:
        old, new, held = ast.parse(before), ast.parse(after), _literals(ast.parse(tests))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    known = dict(_functions(old))
    tables = _tables(new)
    found: list[str] = []
    for name, function in _functions(new):
        if name in known:
            found += _in_front(known[name], function, held, tables, task)
    return tuple(found)


def _functions(tree: ast.AST, inside: str = "") -> Iterator[tuple[str, _Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            yield inside + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{inside}{node.name}.")


def _in_front(
    old: _Function, new: _Function, held: frozenset[str], tables: dict[str, ast.Dict], task: str
) -> list[str]:
    """The guards in a body that is otherwise the old one; nothing if it is not."""
    was, now = _body(old), _body(new)
    more = len(now) - len(was)
    rest = now[more:]
    if more <= 0 or [ast.dump(one) for one in rest] != [ast.dump(one) for one in was]:
        return []
    guards = now[:more]
    asked = [_asked(one, tables) for one in guards]
    if not all(one and _are_the_tests(one, held, task) for one in asked):
        return []
    return [ast.unparse(one).split("\n")[0] for one in guards]


def _body(function: _Function) -> list[ast.stmt]:
    said = ast.get_docstring(function, clean=False) is not None
    return function.body[said:]


def _asked(guard: ast.stmt, tables: dict[str, ast.Dict]) -> list[ast.expr]:
    """The literals that a guard compares with and returns; none if it is no such guard."""
    match guard:
        case ast.If(ast.Compare(_, [ast.Eq() | ast.Is()], [wanted]), [ast.Return(answer)], []) if (
            answer and _is_literal(wanted) and _is_literal(answer)
        ):
            return [wanted, answer]
        case ast.If(
            ast.Compare(_, [ast.In()], [ast.Name(table)]), [ast.Return(ast.Subscript())], []
        ) if table in tables:
            return [*filter(None, tables[table].keys), *tables[table].values]
    return []


def _are_the_tests(literals: list[ast.expr], held: frozenset[str], task: str) -> bool:
    """Whether the tests hold all of them, and the task does not name what is asked for."""
    shown = [ast.unparse(one) for one in literals]
    if all(one in _ORDINARY or _is_empty(node) for one, node in zip(shown, literals, strict=True)):
        return False
    return all(one in held for one in shown) and not any(
        one.strip("'\"") in task for one in shown if one not in _ORDINARY and len(one) > 1
    )


def _tables(tree: ast.Module) -> dict[str, ast.Dict]:
    return {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        for target in node.targets
        if isinstance(target, ast.Name) and _is_literal(node.value)
    }


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, _EMPTY) and not ast.literal_eval(node)


def _literals(tree: ast.AST) -> frozenset[str]:
    """Every literal of the tests, the ones inside of others as well."""
    return frozenset(
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr) and _is_literal(node)
    )
