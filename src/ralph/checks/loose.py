"""Code that hangs on nothing: new, and used by nobody. What is changed in place has an effect."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def is_loose(path: str, before: str, after: str, used: Callable[[str], bool]) -> bool:
    """Whether all that a change did to a file is to add things of which nobody makes use.

    `used` says whether a name is used in other files. Files that are not Python are loose if lines
    were only added.
    """
    if not path.endswith(".py"):
        return all(line in after.split("\n") for line in before.split("\n"))
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError, RecursionError):
        return False
    was = [ast.dump(one) for one in old.body]
    more = [one for one in new.body if ast.dump(one) not in was]
    kept = [one for one in new.body if one not in more]
    if len(kept) < len(was):
        return False  # something was taken away, or is otherwise now
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
