"""Code that hangs on nothing: new, and used by nobody. What is changed in place has an effect."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from ralph.checks.script import without_strings

if TYPE_CHECKING:
    from collections.abc import Callable


def is_loose(path: str, before: str, after: str, used: Callable[[str], bool]) -> bool:
    """Whether all that a change did to a file is to add things of which nobody makes use.

    `used` says whether a name is used in other files. In files that are not Python, what was added
    inside of something has an effect.
    """
    if not path.endswith(".py"):
        return _is_added_at_the_top(before, after)
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


def _is_added_at_the_top(before: str, after: str) -> bool:
    """Whether lines were only added, and none of them inside of something that was there."""
    old, new = before.split("\n"), without_strings(after).split("\n")
    was, depth = Counter(old), 0
    for line, plain in zip(after.split("\n"), new, strict=True):
        if was[line]:
            was[line] -= 1
            depth += sum(plain.count(one) for one in "([{") - sum(map(plain.count, ")]}"))
        elif plain.strip() and depth > 0:
            return False
    return not +was


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return [name]
        case ast.Assign(targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
    return []
