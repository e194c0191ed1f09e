"""Code that hangs on nothing: new, and used by nobody. What is changed in place has an effect."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from ralph.proof.script import without_strings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


def is_loose(
    path: str, before: str, after: str, at: Collection[int], used: Callable[[str], bool]
) -> bool:
    """Whether all that a change did to a file is to add things of which nobody makes use.

    `used` says whether a name is used in other files. In files that are not Python, what was added
    inside of something has an effect; the added lines are `at`.
    """
    if not path.endswith(".py"):
        return not Counter(before.split("\n")) - Counter(after.split("\n")) and not _is_inside(
            after, frozenset(at)
        )
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


def _is_inside(text: str, at: Collection[int]) -> bool:
    """Whether one of these lines stands between brackets that others opened."""
    depth = 0
    for number, line in enumerate(without_strings(text).split("\n"), 1):
        if number not in at:
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        elif line.strip() and depth > 0:
            return True
    return False


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return [name]
        case ast.Assign(targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(ast.Name(name)):
            return [name]
    return []
